#include "call.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "encodings.h"

static const int64_t FAR = (int64_t)1 << 53;

const char *const OPERATIONS[] = {"rope.inv_freq", "rope.cos_sin", "rope.rotate", "rope.apply",
                                  "alibi.slopes",  "alibi.bias",   NULL};

int offered(const char *operation) {
    for (int i = 0; OPERATIONS[i]; i++)
        if (!strcmp(OPERATIONS[i], operation)) return 1;
    return 0;
}

/* Refuse, unless the call is refused already: the first fault found is the one that is told. */
static void refuse(struct call *call, const char *error, const char *fault) {
    if (!call->error) call->error = error, call->fault = fault;
}

static void *room(struct call *call, int64_t count, size_t size) {
    void *found = count <= INT32_MAX ? calloc((size_t)(count ? count : 1), size) : NULL;
    if (!found) call->skipped = "too large for this machine";
    return found;
}

/* Copy a word, cut to the room there is. */
static void keep(char *to, size_t size, const char *from) {
    size_t length = strlen(from) < size ? strlen(from) : size - 1;
    memcpy(to, from, length);
    to[length] = 0;
}

void add_param(struct call *call, const char *name, const char *kind, const char *text) {
    char *copy = room(call, (int64_t)strlen(text) + 1, 1);
    if (call->params == MAX_PARAMS || !copy) {
        call->skipped = "too many parameters";
        free(copy);
        return;
    }
    struct param *param = &call->param[call->params++];
    keep(param->name, sizeof param->name, name);
    keep(param->kind, sizeof param->kind, kind);
    param->text = strcpy(copy, text);
}

static struct tensor *fill(struct call *call, struct tensor *tensor, const char *name, const char *dtype, int rank,
                           const int64_t *shape) {
    keep(tensor->name, sizeof tensor->name, name);
    keep(tensor->dtype, sizeof tensor->dtype, dtype);
    tensor->rank = rank;
    tensor->size = 1;
    for (int axis = 0; axis < rank; axis++) tensor->size *= tensor->shape[axis] = shape[axis];
    tensor->values = room(call, tensor->size, sizeof *tensor->values);
    tensor->integers = room(call, tensor->size, sizeof *tensor->integers);
    return tensor->values && tensor->integers ? tensor : NULL;
}

struct tensor *add_input(struct call *call, const char *name, const char *dtype, int rank, const int64_t *shape) {
    if (call->inputs == MAX_INPUTS || rank > MAX_AXES) {
        call->skipped = "too many inputs or axes";
        return NULL;
    }
    return fill(call, &call->input[call->inputs++], name, dtype, rank, shape);
}

static double *add_output(struct call *call, const char *name, int rank, const int64_t *shape) {
    struct tensor *output = &call->output[call->outputs++];
    return fill(call, output, name, call->dtype, rank, shape) ? output->values : NULL;
}

void release(struct call *call) {
    for (int i = 0; i < call->params; i++) free(call->param[i].text);
    for (int i = 0; i < call->inputs; i++) free(call->input[i].values), free(call->input[i].integers);
    for (int i = 0; i < call->outputs; i++) free(call->output[i].values), free(call->output[i].integers);
    memset(call, 0, sizeof *call);
}

/* ---- parameters ---- */

static const struct param *find(const struct call *call, const char *name) {
    for (int i = 0; i < call->params; i++)
        if (!strcmp(call->param[i].name, name) && strcmp(call->param[i].kind, "null")) return &call->param[i];
    return NULL;
}

/* Return a parameter of this kind, or NULL after a refusal. */
static const struct param *of_kind(struct call *call, const char *name, const char *kind) {
    const struct param *param = find(call, name);
    if (!param) refuse(call, "MISSING_PARAMETER", name);
    else if (strcmp(param->kind, kind)) refuse(call, "INVALID_PARAMETER", name), param = NULL;
    return param;
}

static int64_t integer(struct call *call, const char *name, int64_t least) {
    const struct param *param = of_kind(call, name, "integer");
    errno = 0;
    int64_t value = param ? strtoll(param->text, NULL, 10) : least;
    if (errno || value < least) refuse(call, "INVALID_PARAMETER", name);
    return value;
}

static double real_above(struct call *call, const char *name, double limit) {
    const struct param *param = of_kind(call, name, "real");
    if (!param) return limit;
    uint64_t bits = strtoull(param->text, NULL, 16);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value) || !(value > limit)) refuse(call, "INVALID_PARAMETER", name);
    return value;
}

static int choice(struct call *call, const char *name, int count, const char *const *values) {
    const struct param *param = of_kind(call, name, "choice");
    if (!param) return 0;
    for (int i = 0; i < count; i++)
        if (!strcmp(param->text, values[i])) return i;
    refuse(call, "INVALID_PARAMETER", name);
    return 0;
}

static enum pairing pairing(struct call *call, const char *name) {
    static const char *const VALUES[] = {"adjacent", "half"};
    return (enum pairing)choice(call, name, 2, VALUES);
}

static int64_t width(struct call *call) {
    int64_t value = integer(call, "rotary_dim", 2);
    if (value % 2) refuse(call, "INVALID_PARAMETER", "rotary_dim");
    return value;
}

/* ---- inputs ---- */

enum role { MAIN, TABLE, WHOLE, FRACTIONAL }; /* the last two are positions */

static int is(const struct tensor *tensor, const char *dtype) { return !strcmp(tensor->dtype, dtype); }

static int64_t axis(const struct tensor *tensor, int from_last) { return tensor->shape[tensor->rank - from_last]; }

static int right_dtype(const struct call *call, const struct tensor *input, enum role role) {
    if (role == MAIN) return is(input, call->dtype);
    if (is(input, "int64")) return role == WHOLE || role == FRACTIONAL;
    return role != WHOLE && (is(input, "float32") || is(input, "float64"));
}

/* Return an input whose dtype, rank and values are right, or NULL after a refusal.
   It has named axes at its end, of which the one that counts tokens may be empty. */
static const struct tensor *input(struct call *call, const char *name, enum role role, int named, int tokens) {
    struct tensor *found = NULL;
    for (int i = 0; i < call->inputs; i++)
        if (!strcmp(call->input[i].name, name)) found = &call->input[i];
    if (!found) return refuse(call, "INVALID_SHAPE", name), NULL;
    if (!right_dtype(call, found, role)) return refuse(call, "INVALID_DTYPE", name), NULL;
    if (found->rank < named || (!tokens && found->rank > named)) return refuse(call, "INVALID_SHAPE", name), NULL;
    for (int i = 1; i <= found->rank; i++)
        if (!axis(found, i) && i != tokens) return refuse(call, "INVALID_SHAPE", name), NULL;
    for (int64_t i = 0; i < found->size; i++) {
        if (is(found, "int64")) {
            if (found->integers[i] > FAR || found->integers[i] < -FAR) refuse(call, "OUT_OF_RANGE", name);
            found->values[i] = (double)found->integers[i];
        }
        if (!isfinite(found->values[i])) refuse(call, "INVALID_PARAMETER", name);
        if (role == FRACTIONAL && fabs(found->values[i]) > (double)FAR) refuse(call, "OUT_OF_RANGE", name);
    }
    return found;
}

/* Return whether the leading axes of small, before its named ones, broadcast into those of a shape. */
static int fits(const struct tensor *small, int named, const int64_t *shape, int count) {
    int own = small->rank - named;
    for (int i = 1; i <= own; i++)
        if (i > count || (axis(small, named + i) != 1 && axis(small, named + i) != shape[count - i])) return 0;
    return 1;
}

/* Return which of its leading entries small shows at a leading index of that shape. */
static int64_t shown(const struct tensor *small, int named, const int64_t *shape, int count, int64_t index) {
    int64_t found = 0, stride = 1;
    for (int i = 1; i <= small->rank - named; i++) {
        int64_t size = axis(small, named + i);
        if (size > 1) found += index % shape[count - i] * stride;
        index /= shape[count - i];
        stride *= size;
    }
    return found;
}

/* ---- operations ---- */

static void rope_inv_freq(struct call *call) {
    int64_t pairs = width(call) / 2;
    double base = real_above(call, "base", 1);
    if (call->error) return;
    double *out = add_output(call, "inv_freq", 1, &pairs);
    if (out) inv_freq(pairs, base, out);
}

static void rope_cos_sin(struct call *call) {
    double factor = real_above(call, "attention_factor", 0);
    const struct tensor *positions = input(call, "positions", FRACTIONAL, 1, 1);
    const struct tensor *frequencies = input(call, "inv_freq", TABLE, 1, 0);
    if (call->error || positions->rank == MAX_AXES) return;
    int64_t shape[MAX_AXES], pairs = frequencies->size;
    memcpy(shape, positions->shape, sizeof shape);
    shape[positions->rank] = pairs;
    double *c = add_output(call, "cos", positions->rank + 1, shape);
    double *s = add_output(call, "sin", positions->rank + 1, shape);
    for (int64_t t = 0; c && s && t < positions->size; t++)
        cos_sin(positions->values[t], frequencies->values, pairs, factor, c + t * pairs, s + t * pairs);
}

/* Return an output y that is a copy of x. */
static double *copied(struct call *call, const struct tensor *x) {
    double *y = add_output(call, "y", x->rank, x->shape);
    if (y) memcpy(y, x->values, (size_t)x->size * sizeof *y);
    return y;
}

static void rope_rotate(struct call *call) {
    enum pairing in = pairing(call, "pairing_in"), out = pairing(call, "pairing_out");
    int64_t start = integer(call, "rotary_start", 0);
    const struct tensor *x = input(call, "x", MAIN, 2, 2);
    const struct tensor *c = input(call, "cos", TABLE, 2, 2), *s = input(call, "sin", TABLE, 2, 2);
    if (call->error) return;
    int64_t tokens = axis(x, 2), size = axis(x, 1), pairs = axis(c, 1);
    if (axis(c, 2) != tokens || !fits(c, 2, x->shape, x->rank - 2)) refuse(call, "INVALID_SHAPE", "cos");
    if (c->rank != s->rank || memcmp(c->shape, s->shape, sizeof c->shape)) refuse(call, "INVALID_SHAPE", "sin");
    if (start > size || 2 * pairs > size - start) refuse(call, "INVALID_SHAPE", "cos");
    double *y = call->error ? NULL : copied(call, x);
    for (int64_t row = 0; y && row < x->size / size; row++) {
        int64_t table = shown(c, 2, x->shape, x->rank - 2, row / tokens) * tokens + row % tokens;
        rotate(x->values + row * size, y + row * size, start, pairs, c->values + table * pairs,
               s->values + table * pairs, in, out);
    }
}

static void rope_apply(struct call *call) {
    int64_t pairs = width(call) / 2, start = integer(call, "rotary_start", 0);
    double base = real_above(call, "base", 1);
    enum pairing order = pairing(call, "pairing");
    if (find(call, "seq_len")) integer(call, "seq_len", 1);
    const struct tensor *x = input(call, "x", MAIN, 2, 2);
    const struct tensor *positions = input(call, "positions", FRACTIONAL, 1, 1);
    if (call->error) return;
    int64_t tokens = axis(x, 2), size = axis(x, 1);
    if (axis(positions, 1) != tokens || !fits(positions, 1, x->shape, x->rank - 2))
        refuse(call, "INVALID_SHAPE", "positions");
    if (start > size || 2 * pairs > size - start) refuse(call, "INVALID_SHAPE", "rotary_dim");
    double *y = call->error ? NULL : copied(call, x), *table = y ? room(call, 3 * pairs, sizeof *table) : NULL;
    if (!table) return;
    inv_freq(pairs, base, table);
    for (int64_t row = 0; row < x->size / size; row++) {
        int64_t t = shown(positions, 1, x->shape, x->rank - 2, row / tokens) * tokens + row % tokens;
        cos_sin(positions->values[t], table, pairs, 1, table + pairs, table + 2 * pairs);
        rotate(x->values + row * size, y + row * size, start, pairs, table + pairs, table + 2 * pairs, order, order);
    }
    free(table);
}

static void alibi_slopes(struct call *call) {
    int64_t heads = integer(call, "num_heads", 1), start = integer(call, "head_start", 0);
    double bias_max = real_above(call, "bias_max", 0);
    if (!call->error && start >= heads) refuse(call, "INVALID_PARAMETER", "head_start");
    int64_t count = find(call, "head_count") ? integer(call, "head_count", 1) : heads - start;
    if (count > heads - start) refuse(call, "INVALID_PARAMETER", "head_count");
    double *out = call->error ? NULL : add_output(call, "slopes", 1, &count);
    for (int64_t k = 0; out && k < count; k++) out[k] = slope(start + k, heads, bias_max);
}

static void alibi_bias(struct call *call) {
    static const char *const FORMS[] = {"neg_distance", "neg_abs", "key_index"};
    static const char *const FUTURES[] = {"keep", "neg_inf"};
    enum form form = (enum form)choice(call, "form", 3, FORMS);
    int banned = choice(call, "future", 2, FUTURES);
    const struct tensor *q = input(call, "q_positions", WHOLE, 1, 1), *k = input(call, "k_positions", WHOLE, 1, 1);
    const struct tensor *slopes = input(call, "slopes", TABLE, 1, 0);
    if (call->error) return;
    int64_t shape[MAX_AXES], outer = 1, heads = slopes->size, queries = axis(q, 1), keys = axis(k, 1);
    const struct tensor *longer = q->rank > k->rank ? q : k;
    int count = longer->rank - 1;
    for (int i = 1; i <= count; i++) {
        int64_t one = i < q->rank ? axis(q, i + 1) : 1, other = i < k->rank ? axis(k, i + 1) : 1;
        if (one != other && one != 1 && other != 1) refuse(call, "INVALID_SHAPE", "k_positions");
        outer *= shape[count - i] = one == 1 ? other : one;
    }
    if (call->error || count + 3 > MAX_AXES) return;
    shape[count] = heads, shape[count + 1] = queries, shape[count + 2] = keys;
    double *out = add_output(call, "bias", count + 3, shape);
    for (int64_t n = 0; out && n < outer * heads * queries * keys; n++) {
        int64_t row = n / (heads * queries * keys), head = n / (queries * keys) % heads;
        int64_t query = q->integers[shown(q, 1, shape, count, row) * queries + n / keys % queries];
        int64_t key = k->integers[shown(k, 1, shape, count, row) * keys + n % keys];
        out[n] = bias(slopes->values[head], query, key, form, banned);
    }
}

/* Round the outputs to the dtype, once; what overflows is refused, naming where the dtype came from. */
static void finish(struct call *call, const char *fault) {
    for (int i = 0; i < call->outputs; i++)
        for (int64_t n = 0; n < call->output[i].size; n++) {
            double *value = &call->output[i].values[n], rounded = (float)*value;
            if (isinf(rounded) && !isinf(*value)) refuse(call, "OUT_OF_RANGE", fault);
            *value = rounded;
        }
}

void answer(struct call *call) {
    static void (*const FUNCTIONS[])(struct call *) = {rope_inv_freq, rope_cos_sin, rope_rotate,
                                                       rope_apply,    alibi_slopes, alibi_bias};
    for (int i = 0; i < call->params; i++)
        if (!strncmp(call->param[i].name, "scaling", 7) && strcmp(call->param[i].kind, "null"))
            call->skipped = "context extension is not offered";
    if (!offered(call->operation)) call->skipped = "this operation is not offered";
    for (int i = 0; OPERATIONS[i] && !call->skipped; i++)
        if (!strcmp(OPERATIONS[i], call->operation)) FUNCTIONS[i](call);
    int from_input = !strcmp(call->operation, "rope.rotate") || !strcmp(call->operation, "rope.apply");
    if (!call->skipped && !call->error) finish(call, from_input ? "x" : "dtype");
    if (!call->skipped && !call->error && !call->outputs) call->skipped = "too many axes";
}
