// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options whose value is one of a few names, each of which stands for an enumerator.
#ifndef TTC_SUPPORT_CHOICE_H
#define TTC_SUPPORT_CHOICE_H

#include "mlir/Support/LLVM.h"
#include "ttc/Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::ttc {

/// The names of an enum's values in the order in which help and errors list them. To make an enum
/// the type of an option, overload `getChoices(Enum)` and declare
///
///   template <> class llvm::cl::parser<Enum> : public mlir::ttc::ChoiceParser<Enum> { ... };
template <typename Enum> using Choices = ArrayRef<std::pair<StringRef, Enum>>;

/// Parses one of the names; any other value is an error that lists them.
template <typename Enum> class ChoiceParser : public llvm::cl::basic_parser<Enum> {
public:
  ChoiceParser(llvm::cl::Option &option) : llvm::cl::basic_parser<Enum>(option) {}

  bool parse(llvm::cl::Option &option, StringRef /*argument*/, StringRef text, Enum &value) {
    Choices<Enum> choices = getChoices(Enum());
    for (const auto &[name, choice] : choices)
      if (name == text) {
        value = choice;
        return false;
      }
    return option.error("expected " + join(choices.drop_back(), ", ") + " or " +
                        choices.back().first + ", found '" + printable(text) + "'");
  }

  static void print(llvm::raw_ostream &os, Enum value) {
    for (const auto &[name, choice] : getChoices(Enum()))
      if (choice == value)
        os << name;
  }

  /// --help shows --option=<a|b|c>.
  StringRef getValueName() const override {
    static const std::string names = join(getChoices(Enum()), "|");
    return names;
  }

  void printOptionDiff(const llvm::cl::Option &option, Enum value, llvm::cl::OptionValue<Enum>,
                       size_t width) const {
    this->printOptionName(option, width);
    print(llvm::outs() << "= ", value);
    llvm::outs() << "\n";
  }

private:
  static std::string join(Choices<Enum> choices, StringRef separator) {
    return llvm::join(llvm::make_first_range(choices), separator);
  }
};

} // namespace mlir::ttc

#endif // TTC_SUPPORT_CHOICE_H
