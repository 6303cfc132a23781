"""Tools that tests share, by what a test needs.

Data with defaults
    `builders` runs, results and points with every field defaulted; `strategies` the
    same for Hypothesis; `generated` and `grids` measurements of a known truth;
    `exact_counts`, `openmp_runs`, `traced`, `traces` runs of these kinds;
    `told_tables` rows that fail; `weighing`
    every curve of a batch; `reference_tables` the published tables; `stored` the
    reports of a history as a store holds them.

A filled database
    `recorded` runs recorded and analysed as the product does it; `histories` projects
    with commits; `long_histories` commits without runs; `machine_nights` and
    `night_draws` histories of machines; `odd_projects` projects that break pages;
    `large_project`, `wide_project`, `many_projects` and `large_database` real sizes;
    `fillings` and `row_copies` make them once; `release_0_1_0` writes one as that
    release did; `database_contents` compares; `service_sentences` what services say of
    it, once.

A server or a page
    `fixtures` the database, application and client that a test asks for by name;
    `live` the application on a port; `servers` PostgreSQL, Redis, the composition and
    the product's commands as processes; `addresses` every page; `sentences` what pages
    say, once; `shown_pages` the sentences of a page; `sites`
    the files and links of frozen pages; `papers` sections of proposals;
    `plotted` figures as Plotly reads them; `chromium` and `axe` the browser;
    `forges` GitHub and GitLab, `ci_jobs`
    what runs in their jobs;
    `endless_webhook` one that never answers.

An agent
    `agent_home` its folder; `agent_sentences` what it says, once; `experiments` files
    for `run`; `counting` what is counted;
    `mpi_programs`, `debian_mpi`, `clang`, `simgrid`, `slurm_cluster` programs and the
    systems that they run on; `flux_commands` stands in for Flux; `otf2_archives`
    traces; `repositories` and `example_code` code under test.

Foreign files
    `samples` files of other tools beside the project; `programs_output` logs made anew;
    `asv_results` a folder of asv, `exacb_reports` reports of exaCB; `units` pairs of
    units, as tools write them;
    `mutations` and `hostile_bytes` the same as disks, jobs and strangers leave them;
    `worst_texts` texts on which an expression may backtrack; `hostile_readers` what
    befalls whoever reads them.

Conditions
    `base_install` a Python without the extras; `undisturbed` times on a busy machine.
"""
