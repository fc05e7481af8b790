/* A call by name: what is asked, and the outputs, the refusal or the skip that answers it. */
#ifndef CALL_H
#define CALL_H

#include <stdint.h>

enum { MAX_AXES = 16, MAX_INPUTS = 4, MAX_OUTPUTS = 2, MAX_PARAMS = 32 };

/* The dtype that is offered, and the claim: all arithmetic is in double, rounded once. */
#define DTYPE "float32"
#define CLAIM "f64-angle"

struct tensor {
    char name[32], dtype[16];
    int rank;
    int64_t shape[MAX_AXES], size;
    double *values;    /* float32 and float64 */
    int64_t *integers; /* int64 and bool */
};

/* As on the flat wire: a kind, and the value as text. */
struct param {
    char name[64], kind[16];
    char *text;
};

struct call {
    char operation[64], dtype[16];
    int params, inputs, outputs;
    struct param param[MAX_PARAMS];
    struct tensor input[MAX_INPUTS], output[MAX_OUTPUTS];
    const char *error, *fault; /* class and parameter of a refusal */
    const char *skipped;       /* or why this cannot be asked */
};

/* The operations, one after the other; NULL at the end. */
extern const char *const OPERATIONS[];
int offered(const char *operation);

/* Add to a call; what there is no room for is skipped. */
void add_param(struct call *call, const char *name, const char *kind, const char *text);
struct tensor *add_input(struct call *call, const char *name, const char *dtype, int rank, const int64_t *shape);

/* Answer it, and let go of everything it holds. */
void answer(struct call *call);
void release(struct call *call);

#endif
