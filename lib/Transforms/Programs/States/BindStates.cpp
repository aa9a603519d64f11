// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Traces/StateOps.h"
#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "ttc/Support/Spelling.h"
#include "ttc/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_BINDSTATES
#include "ttc/Transforms/Passes.h.inc"

namespace {

/// `past_*=present_*`: which result replaces an argument. A name with at most one `*`, which stands
/// for any text, the same on both sides.
struct StatePattern {
  StringRef text, input, output;

  static std::optional<StatePattern> parse(StringRef text) {
    auto [input, output] = text.split('=');
    const size_t stars = input.count('*');
    if (input.empty() || output.empty() || output.contains('=') || stars > 1 ||
        output.count('*') != stars)
      return std::nullopt;
    return StatePattern{text, input, output};
  }

  /// The result's name for an argument of this name; nothing if the pattern is for others.
  std::optional<std::string> match(StringRef name) const {
    auto [head, tail] = input.split('*');
    if (!input.contains('*'))
      return name == input ? std::optional(output.str()) : std::nullopt;
    if (name.size() < head.size() + tail.size() || !name.consume_front(head) ||
        !name.consume_back(tail))
      return std::nullopt;
    auto [before, after] = output.split('*');
    return (before + name + after).str();
  }
};

/// A symbol of the characters that need no quotes.
std::string getSymbolName(StringRef name) {
  std::string symbol = name.str();
  for (char &character : symbol)
    if (!llvm::isAlnum(character) && character != '_')
      character = '_';
  if (symbol.empty() || llvm::isDigit(symbol[0]))
    symbol.insert(0, "_");
  return symbol;
}

/// The attributes of a function's arguments and results, which are set all at once: setting one of
/// them copies those of all others.
class Ports {
public:
  explicit Ports(func::FuncOp function) : function(function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      arguments.push_back(function.getArgAttrDict(i));
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      results.push_back(function.getResultAttrDict(i));
      if (StringRef name = getName(results.back()); !name.empty())
        resultsByName[name] = i;
    }
  }

  StringRef getInput(unsigned index) const { return getName(arguments[index]); }
  std::optional<unsigned> findOutput(StringRef name) const {
    auto found = resultsByName.find(name);
    return found == resultsByName.end() ? std::nullopt : std::optional(found->second);
  }

  /// Makes the argument and the result, which lose their names, the values of a state.
  void bind(unsigned argument, unsigned result, FlatSymbolRefAttr state) {
    resultsByName.erase(getName(results[result]));
    for (DictionaryAttr *attrs : {&arguments[argument], &results[result]}) {
      NamedAttrList list(*attrs);
      list.erase(kNameAttrName);
      list.set(kStateAttrName, state);
      *attrs = list.getDictionary(function.getContext());
    }
    isChanged = true;
  }

  void apply() {
    if (!isChanged)
      return;
    function.setAllArgAttrs(arguments);
    function.setAllResultAttrs(results);
  }

  func::FuncOp function;

private:
  static StringRef getName(DictionaryAttr attrs) {
    auto name = attrs ? attrs.getAs<StringAttr>(kNameAttrName) : StringAttr();
    return name ? name.getValue() : StringRef();
  }

  SmallVector<DictionaryAttr> arguments, results;
  llvm::StringMap<unsigned> resultsByName;
  bool isChanged = false;
};

struct BindStates : impl::BindStatesBase<BindStates> {
  using BindStatesBase::BindStatesBase;
  PassCounter numStates{*this, "states", "States made"};
  PassCounter numBound{*this, "bound", "Arguments that are states now"};

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    std::vector<Ports> functions;
    for (auto function : module.getOps<func::FuncOp>())
      functions.emplace_back(function);
    for (const std::string &text : state) {
      std::optional<StatePattern> pattern = StatePattern::parse(text);
      if (!pattern) {
        emitError(module.getLoc())
            << "expected a state as input=output, with one '*' in both names or in none, found '"
            << text << "'";
        return signalPassFailure();
      }
      bool isUsed = false;
      for (Ports &ports : functions)
        for (unsigned i = 0; i < ports.function.getNumArguments(); ++i) {
          FailureOr<bool> bound = bind(ports, i, *pattern, symbols);
          if (failed(bound))
            return signalPassFailure();
          isUsed |= *bound;
        }
      if (!isUsed)
        return reportUnused(*pattern, functions);
    }
    for (Ports &ports : functions)
      ports.apply();
  }

private:
  /// Whether the argument is one of the pattern's; then it is a state, with the result of that
  /// name.
  FailureOr<bool> bind(Ports &ports, unsigned index, const StatePattern &pattern,
                       SymbolTable &symbols) {
    func::FuncOp function = ports.function;
    const StringRef input = ports.getInput(index);
    std::optional<std::string> output = pattern.match(input);
    if (input.empty() || !output)
      return false;
    std::optional<unsigned> result = ports.findOutput(*output);
    if (!result)
      return function.emitError("expected @") << function.getSymName() << " to have the output '"
                                              << *output << "', which replaces its input '" << input
                                              << "' (" << pattern.text << "), found none";
    if (failed(checkSize(function, index, input)))
      return failure();
    Type type = function.getArgumentTypes()[index];
    if (Type found = function.getResultTypes()[*result]; found != type) {
      InFlightDiagnostic error = function.emitError("expected output '")
                                 << *output << "' of the type of input '" << input << "' (" << type
                                 << "), found " << found;
      error.attachNote() << "a state has a fixed size: the model must write into a cache of the "
                            "whole context, and not append to it";
      return error;
    }
    FailureOr<StringAttr> symbol = getState(function, symbols, input, type);
    if (failed(symbol))
      return failure();
    ports.bind(index, *result, FlatSymbolRefAttr::get(*symbol));
    ++numBound;
    return true;
  }

  /// All variants of a model share a state, which is kept as a whole, whatever size the last run
  /// had.
  LogicalResult checkSize(func::FuncOp function, unsigned index, StringRef input) {
    auto variant = function->getAttrOfType<VariantAttr>(kVariantAttrName);
    auto sizes = function.getArgAttrOfType<AffineMapAttr>(index, kDimsAttrName);
    for (unsigned dim = 0; variant && sizes && dim < variant.getNumDims(); ++dim) {
      if (!sizes.getValue().isFunctionOfSymbol(dim))
        continue;
      const StringRef name = variant.getDims()[dim];
      int64_t most = 0;
      for (auto other : getOperation().getOps<func::FuncOp>())
        if (auto same = other->getAttrOfType<VariantAttr>(kVariantAttrName);
            same && same.getOf() == variant.getOf())
          most = std::max(most, same.getHigh()[dim]);
      InFlightDiagnostic error =
          function.emitError("expected a state of one size in all runs, found '")
          << input << "', whose size depends on " << name;
      error.attachNote() << "give " << name << " one size, such as "
                         << spell(Setting{"dim", name.str(), std::to_string(most)})
                         << ", or keep a state of the largest size, of which each run writes a "
                            "part";
      return error;
    }
    return success();
  }

  /// The state of an input's name, which functions share.
  FailureOr<StringAttr> getState(func::FuncOp function, SymbolTable &symbols, StringRef input,
                                 Type type) {
    StateOp &shared = states[input];
    if (!shared) {
      OpBuilder builder(&getContext());
      shared = StateOp::create(builder, function.getLoc(), getSymbolName(input), type);
      symbols.insert(shared, getOperation().getBody()->begin());
      if (last)
        shared->moveAfter(last);
      last = shared;
      ++numStates;
    } else if (shared.getType() != type) {
      return function.emitError("expected input '")
             << input << "' of one type in all entry points that share the state, found "
             << shared.getType() << " before and " << type << " in @" << function.getSymName();
    }
    return shared.getSymNameAttr();
  }

  void reportUnused(const StatePattern &pattern, ArrayRef<Ports> functions) {
    InFlightDiagnostic error = emitError(getOperation().getLoc())
                               << "expected --state to name an input of an entry point, found '"
                               << pattern.input << "', which none has";
    for (const Ports &ports : functions) {
      func::FuncOp function = ports.function;
      std::string names;
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (StringRef name = ports.getInput(i); !name.empty())
          names += (names.empty() ? "'" : ", '") + name.str() + "'";
      error.attachNote(function.getLoc()) << "the inputs of @" << function.getSymName() << " are "
                                          << (names.empty() ? "none" : names);
    }
    signalPassFailure();
  }

  llvm::StringMap<StateOp> states; ///< by the name of the input
  Operation *last = nullptr;
};

} // namespace
} // namespace mlir::ttc
