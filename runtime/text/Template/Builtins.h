// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What chat templates call: filters, tests, methods of strings and dictionaries, global functions.

#ifndef TTRT_TEXT_TEMPLATE_BUILTINS_H
#define TTRT_TEXT_TEMPLATE_BUILTINS_H

#include "text/Template/Value.h"

#include <map>

namespace ttrt::language::chat {

/// Applies a filter; the value is arguments.positional[0]. Throws Failure, also if there is none of
/// this name.
Value applyFilter(const std::string &name, const Arguments &arguments);
/// The same for a test.
bool applyTest(const std::string &name, const Arguments &arguments);
/// The method of a value; undefined if there is none of this name.
Value methodOf(const Value &value, const std::string &name, Budget &budget);

/// value[index], value.name; undefined if there is no such element.
Value elementOf(const Value &value, const Value &index, Budget &budget);
Value attributeOf(const Value &value, const std::string &name, Budget &budget);
/// What value[begin:end:step] gives.
Value sliceOf(const Value &value, const Value &begin, const Value &end, const Value &step,
              Budget &budget);
/// The first element, or the last one; undefined if there is none.
Value endOf(const Value &value, bool last, Budget &budget);
/// `name` is an operator of two operands, but not 'and' and 'or'.
Value binary(const std::string &name, const Value &left, const Value &right, Budget &budget);
bool contains(const Value &container, const Value &element, Budget &budget);
/// A number as a double, and whether it is an integer; a boolean is 0 or 1.
double realOf(const Value &value);
bool isInteger(const Value &value);
/// `operation` is + - * / (which rounds down) or %. Throws Failure instead of overflowing.
Value integerArithmetic(char operation, int64_t a, int64_t b);

/// Names that every template has.
std::map<std::string, Value> globals();

} // namespace ttrt::language::chat

#endif // TTRT_TEXT_TEMPLATE_BUILTINS_H
