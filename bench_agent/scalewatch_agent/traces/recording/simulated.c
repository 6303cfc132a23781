/* SimGrid loads a copy of the program for each process, bound to its own library first, so that
 * preloading alone comes too late: point the copy's calls here once it is loaded. */
#ifdef SIMULATED
#include <sys/mman.h>

#if defined __x86_64__
enum { FUNCTION = R_X86_64_JUMP_SLOT, POINTER = R_X86_64_GLOB_DAT };
#elif defined __aarch64__
enum { FUNCTION = R_AARCH64_JUMP_SLOT, POINTER = R_AARCH64_GLOB_DAT };
#else
#error "relocations of this architecture are not known"
#endif

static void point(void **slot, void *target)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)slot & ~(page - 1);
    /* The loader may have made the table read-only. */
    if (!mprotect((void *)begin, page, PROT_READ | PROT_WRITE)) *slot = target;
}

static void redirect(const struct link_map *map)
{
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    const ElfW(Rela) *tables[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        const void *address = (const void *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_SYMTAB) symbols = address;
        if (entry->d_tag == DT_STRTAB) names = address;
        if (entry->d_tag == DT_JMPREL) tables[0] = address;
        if (entry->d_tag == DT_PLTRELSZ) sizes[0] = entry->d_un.d_val / sizeof **tables;
        if (entry->d_tag == DT_RELA) tables[1] = address;
        if (entry->d_tag == DT_RELASZ) sizes[1] = entry->d_un.d_val / sizeof **tables;
    }
    if (!symbols || !names) return;
    for (int table = 0; table < 2; table++) for (size_t at = 0; tables[table] && at < sizes[table]; at++) {
        const ElfW(Rela) *one = &tables[table][at];
        unsigned kind = (unsigned)ELF64_R_TYPE(one->r_info);
        const char *name = names + symbols[ELF64_R_SYM(one->r_info)].st_name;
        if ((kind != FUNCTION && kind != POINTER) || (strncmp(name, "MPI_", 4) && strncmp(name, "mpi_", 4))) continue;
        void *target = dlsym(RTLD_DEFAULT, name);    /* a wrapper where there is one */
        if (target) point((void **)(map->l_addr + one->r_offset), target);
    }
}

void *dlopen(const char *file, int flags)
{
    static void *(*next)(const char *, int);
    struct link_map *map = NULL;
    if (!next) {
        void *found = dlsym(RTLD_NEXT, "dlopen");
        memcpy(&next, &found, sizeof found);
    }
    void *handle = next(file, flags);
    if (handle && file && getenv("SCALEWATCH_TRACE") && !dlinfo(handle, RTLD_DI_LINKMAP, &map)) redirect(map);
    return handle;
}
#endif
