// A flat export, read and judged: vectors EXPORT RESULTS
// Prints what is wrong, then the counts; exit code 1 if anything is. RESULTS is for posref check --results.
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>

#include "encodings.hpp"

static const std::map<std::string, std::pair<std::string, std::function<Tensor(const Case&)>>> OFFERED = {
    {"alibi.slopes", {"slopes", slopes}},
    {"positions.relative", {"relative_position", relative}},
    {"rope.apply", {"y", rotated}},
};

// The lines of a request up to `end`; what is not known is passed over.
static Case read_case(std::istream& from) {
    Case one;
    std::string word, kind, text;
    from >> word >> one.id >> one.operation >> one.dtype;
    while (from >> word && word != "end") {
        if (word == "input") one.inputs.insert(read_tensor(from));
        else if (word == "expect") one.expected.insert(read_tensor(from));
        else if (word == "bound") one.bounds.insert(read_tensor(from));
        else if (word == "param") {
            from >> word >> kind;
            std::getline(from, text);  // a blank and the value, or nothing
            one.params[word] = text.empty() ? "" : text.substr(1);
        } else {
            one.refused = one.refused || word == "error";
            std::getline(from, text);
        }
    }
    return one;
}

// Why this program cannot be asked; empty if it can.
static std::string unasked(const Case& one) {
    if (one.refused) return "arguments are checked by the caller";
    if (one.params.count("scaling.rope_type")) return "no scaling";
    return "";
}

static void write(std::ostream& to, const std::string& name, const Tensor& got) {
    to << "\"outputs\":{\"" << name << "\":{\"dtype\":\"" << got.dtype << "\",\"shape\":[";
    for (std::size_t axis = 0; axis < got.shape.size(); axis++) to << (axis ? "," : "") << got.shape[axis];
    to << "],\"data\":[";
    const std::int64_t width = got.shape.empty() ? 1 : got.shape.back();
    for (std::int64_t i = 0; i < size_of(got.shape); i++) {
        const bool first = i % width == 0, last = i % width == width - 1;
        if (first) to << (i ? "," : "") << (got.is_float() ? "\"" : "[");
        else if (!got.is_float()) to << ",";
        if (got.is_float()) {
            const auto value = static_cast<float>(got.values[i]);
            std::uint32_t bits;
            char digits[9];
            std::memcpy(&bits, &value, sizeof bits);
            std::snprintf(digits, sizeof digits, "%08lx", static_cast<unsigned long>(bits));
            to << digits;
        } else to << got.integers[i];
        if (last) to << (got.is_float() ? "\"" : "]");
    }
    to << "]}}}\n";
}

static void head(std::ostream& to, const std::string& tree) {
    to << R"({"type":"results","protocol":1,"tree_sha256":")" << tree
       << R"(","name":"kernels","language":"C++","version":"1","operations":[)";
    const char* comma = "";
    for (const auto& [operation, _] : OFFERED) to << comma << "\"" << operation << "\"", comma = ",";
    to << "],\"dtypes\":[\"float32\"]}\n";
}

int main(int count, char** words) {
    if (count != 3) return std::cerr << "usage: vectors EXPORT RESULTS\n", 2;
    std::ifstream from(words[1]);
    std::ofstream to(words[2]);
    std::string word, corpus, tree, dtype;
    for (int i = 0; i < 3; i++) from >> word;  // export 0 1
    from >> corpus >> tree >> dtype;
    if (dtype != "float32" || !to) return std::cerr << "an export in float32 is needed\n", 2;
    head(to, tree);
    int passed = 0, wrong = 0, skipped = 0;
    while (from >> word && word != "stop") {
        if (word != "run") {  // records of scenarios
            std::getline(from, word);
            continue;
        }
        Case one = read_case(from);
        const auto offered = OFFERED.find(one.operation);
        if (offered == OFFERED.end()) continue;
        const std::string reason = unasked(one);
        to << "{\"test\":\"" << one.id << "\",\"dtype\":\"" << one.dtype << "\",";
        if (!reason.empty()) {
            to << "\"skipped\":{\"reason\":\"" << reason << "\"}}\n";
            skipped++;
            continue;
        }
        const auto& [name, function] = offered->second;
        Tensor got = function(one);
        for (double& value : got.values) value = static_cast<float>(value);  // rounded once, at the end
        const auto bound = one.bounds.find(name);
        if (right(got, one.expected.at(name), bound == one.bounds.end() ? nullptr : &bound->second)) passed++;
        else wrong++, std::cout << "wrong: " << one.id << "\n";
        write(to, name, got);
    }
    std::cout << passed << " right, " << wrong << " wrong, " << skipped << " skipped\n";
    return wrong || !passed ? 1 : 0;
}
