/* The exported header: run every case that is offered, compare, and write the results for posref check --results. */
#include <stdio.h>
#include <string.h>

#include "call.h"
#include "vectors.h"

static void fill_tensor(struct call *call, const struct posref_tensor *from) {
    struct tensor *to = add_input(call, from->name, from->dtype, from->rank, from->shape);
    for (int64_t i = 0; to && i < from->size; i++) {
        if (!strcmp(from->dtype, "int64")) to->integers[i] = ((const int64_t *)from->bits)[i];
        else to->values[i] = posref_value(from, i);
    }
}

static void ask(struct call *call, const struct posref_case *one) {
    strcpy(call->operation, one->operation);
    strcpy(call->dtype, one->dtype);
    for (int i = 0; i < one->params; i++) add_param(call, one->param[i].name, one->param[i].kind, one->param[i].text);
    for (int i = 0; i < one->inputs; i++) fill_tensor(call, &one->input[i]);
    answer(call);
}

static int same_shape(const struct tensor *got, const struct posref_tensor *want) {
    if (got->rank != want->rank) return 0;
    for (int axis = 0; axis < want->rank; axis++)
        if (got->shape[axis] != want->shape[axis]) return 0;
    return 1;
}

/* Whether an answer is the right one. */
static int right(const struct call *call, const struct posref_case *one) {
    if (one->error) return call->error != NULL;
    if (call->error) return 0;
    for (int i = 0; i < one->outputs; i++) {
        if (!same_shape(&call->output[i], &one->output[i])) return 0;
        for (int64_t n = 0; n < one->output[i].size; n++)
            if (!posref_right(&one->output[i], n, call->output[i].values[n])) return 0;
    }
    return 1;
}

static void write_tensor(FILE *file, const struct tensor *output) {
    int64_t width = output->rank ? output->shape[output->rank - 1] : 1;
    fprintf(file, "\"%s\":{\"dtype\":\"%s\",\"shape\":[", output->name, output->dtype);
    for (int axis = 0; axis < output->rank; axis++)
        fprintf(file, "%s%lld", axis ? "," : "", (long long)output->shape[axis]);
    fprintf(file, "],\"data\":[");
    for (int64_t i = 0; i < output->size; i++) {
        float value = (float)output->values[i];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        fprintf(file, "%s%08lx%s", i % width ? "" : i ? ",\"" : "\"", (unsigned long)bits,
                i % width == width - 1 ? "\"" : "");
    }
    fprintf(file, "]}");
}

static void write_line(FILE *file, const struct call *call, const struct posref_case *one) {
    fprintf(file, "{\"test\":\"%s\",\"dtype\":\"%s\",", one->id, one->dtype);
    if (call->skipped) fprintf(file, "\"skipped\":{\"reason\":\"%s\"}}\n", call->skipped);
    else if (call->error)
        fprintf(file, "\"error\":{\"class\":\"%s\",\"parameter\":\"%s\"}}\n", call->error, call->fault);
    else {
        fprintf(file, "\"outputs\":{");
        for (int i = 0; i < call->outputs; i++) {
            if (i) fputc(',', file);
            write_tensor(file, &call->output[i]);
        }
        fprintf(file, "}}\n");
    }
}

static void write_head(FILE *file) {
    fprintf(file, "{\"type\":\"results\",\"protocol\":1,\"tree_sha256\":\"" POSREF_TREE_SHA256 "\",");
    fprintf(file, "\"name\":\"kernels\",\"language\":\"C\",\"version\":\"1\",\"operations\":[");
    for (int i = 0; OPERATIONS[i]; i++) fprintf(file, "%s\"%s\"", i ? "," : "", OPERATIONS[i]);
    fprintf(file, "],\"dtypes\":[\"" DTYPE "\"],\"claims\":{\"" DTYPE "\":\"" CLAIM "\"}}\n");
}

int main(int count, char **words) {
    FILE *file = count == 2 && !strcmp(POSREF_DTYPE, DTYPE) ? fopen(words[1], "w") : NULL;
    if (!file) return fprintf(stderr, "usage: header FILE, with vectors in " DTYPE "\n"), 2;
    int passed = 0, failed = 0, skipped = 0;
    write_head(file);
    for (const struct posref_case *one = posref_cases; one->id; one++) {
        struct call call = {0};
        if (!offered(one->operation)) continue;
        ask(&call, one);
        write_line(file, &call, one);
        if (call.skipped) skipped++;
        else if (right(&call, one)) passed++;
        else failed++, printf("wrong: %s\n", one->id);
        release(&call);
    }
    for (const struct posref_scenario *one = posref_scenarios; one->id; one++)
        fprintf(file, "{\"test\":\"%s\",\"dtype\":\"%s\",\"skipped\":{\"reason\":\"a header holds no scenarios\"}}\n",
                one->id, one->dtype);
    if (fclose(file)) return perror(words[1]), 2;
    printf("%d right, %d wrong, %d skipped\n", passed, failed, skipped);
    return failed ? 1 : 0;
}
