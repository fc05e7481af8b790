/* Test vectors of posref as a header of C99 and C++: see spec/wire-protocol.md, C18. Data: CC0-1.0.
   Include it in one file. posref_cases has POSREF_CASES cases and one of zeros at the end. */
#ifndef POSREF_VECTORS_H
#define POSREF_VECTORS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The elements in row-major order: bits as uint64_t (float64), uint32_t (float32) or uint16_t (bfloat16,
   float16), or int64_t, or uint8_t (bool). bound, bits of bfloat16, is 0 where the result is exact. */
struct posref_tensor {
    const char *name, *dtype;
    int rank;
    const int64_t *shape;
    int64_t size;
    const void *bits;
    const uint16_t *bound;
};

/* A parameter as on the flat wire (C11), kind and text; and as a number: the integer, 0 where int64_t does not
   hold it, or 1 for true; the bits of the real. */
struct posref_param {
    const char *name, *kind, *text;
    int64_t integer;
    uint64_t real;
};

/* A call. Where error is not 0 it must be refused, and there are no outputs. */
struct posref_case {
    const char *id, *operation, *dtype, *requires_;
    int params;
    const struct posref_param *param;
    int inputs;
    const struct posref_tensor *input;
    int outputs;
    const struct posref_tensor *output;
    int strict_zero; /* whether the sign of a zero is compared too */
    const char *error, *parameter;
};

/* A scenario, which a header does not hold: a file of results says that it is skipped. */
struct posref_scenario {
    const char *id, *dtype;
};

static inline double posref_float64(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double posref_float32(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double posref_float16(uint32_t bits) {
    int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    if (exponent == 31) size = posref_float64(fraction ? 0x7ff8000000000000u : 0x7ff0000000000000u);
    return bits >> 15 ? -size : size;
}

/* Element i as a double: exact but for integers beyond 2^53. */
static inline double posref_value(const struct posref_tensor *tensor, int64_t i) {
    if (!strcmp(tensor->dtype, "float64")) return posref_float64(((const uint64_t *)tensor->bits)[i]);
    if (!strcmp(tensor->dtype, "float32")) return posref_float32(((const uint32_t *)tensor->bits)[i]);
    if (!strcmp(tensor->dtype, "int64")) return (double)((const int64_t *)tensor->bits)[i];
    if (!strcmp(tensor->dtype, "bool")) return ((const uint8_t *)tensor->bits)[i];
    if (!strcmp(tensor->dtype, "float16")) return posref_float16(((const uint16_t *)tensor->bits)[i]);
    return posref_float32((uint32_t)((const uint16_t *)tensor->bits)[i] << 16);
}

/* Whether got is right as element i of an output, by the default claim of its dtype; the sign of a zero apart. */
static inline int posref_right(const struct posref_tensor *output, int64_t i, double got) {
    double data = posref_value(output, i);
    double bound = output->bound ? posref_float32((uint32_t)output->bound[i] << 16) : 0;
    return got == data || fabs(got - data) <= bound;
}

/* THE DATA */
#endif
