/* How often a word occurs in a text, after Knuth, Morris and Pratt. */
#include "library.h"
#include <stdlib.h>

int search(const char *text, size_t length, const char *word, size_t width) {
    size_t *border = malloc((width + 1) * sizeof *border);
    size_t matched = 0;
    int found = 0;
    border[0] = border[1] = 0;
    for (size_t i = 1; i < width; i++) {
        while (matched > 0 && word[i] != word[matched])
            matched = border[matched];
        matched += word[i] == word[matched];
        border[i + 1] = matched;
    }
    matched = 0;
    for (size_t i = 0; i < length; i++) {
        while (matched > 0 && (matched == width || text[i] != word[matched]))
            matched = border[matched];
        matched += text[i] == word[matched];
        found += matched == width;
    }
    free(border);
    return found;
}
