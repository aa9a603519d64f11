// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Renders chat templates inside of the library, with budgets of a test's own.

#ifndef TTC_TEST_UNIT_TEXT_TEMPLATES_H
#define TTC_TEST_UNIT_TEXT_TEMPLATES_H

#include "text/Json.h"
#include "text/Template/Render.h"

namespace ttrt::test {

struct Rendered {
  std::string text; ///< or the message of the Failure
  bool isGood;
};

inline Rendered renderWith(const std::string &source, const std::string &names,
                           language::chat::Budget &budget) {
  using namespace language;
  const chat::Value given = parseJson(names, "names", size_t(1) << 24);
  std::map<std::string, chat::Value> all;
  for (const auto &[name, value] : (*given.as<chat::Dict>())->fields)
    all[name] = value;
  try {
    const chat::Body body = chat::parse(source);
    return {chat::render(body, std::move(all), budget), true};
  } catch (const chat::Failure &failure) {
    return {failure.what(), false};
  }
}

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_TEXT_TEMPLATES_H
