// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Template/Render.h"

#include "text/Template/Builtins.h"
#include "text/Template/Lexer.h"

#include <algorithm>
#include <fmt/format.h>

namespace ttrt::language::chat {

using Kind = Expression::Kind;

namespace {
/// Names and their values. Those of a loop's body or a macro are seen only there.
struct Scope {
  const Scope *outer;
  std::map<std::string, Value> names;

  const Value *find(const std::string &name) const {
    for (const Scope *scope = this; scope; scope = scope->outer)
      if (const auto found = scope->names.find(name); found != scope->names.end())
        return &found->second;
    return nullptr;
  }
};

class Renderer {
public:
  explicit Renderer(Scope &names) : top(names) {}

  void render(const Body &body, Scope &scope, std::string &to) {
    for (const auto &statement : body) {
      execute(*statement, scope, to);
      if (leaves != Leaves::No)
        return;
    }
  }

private:
  enum class Leaves { No, Break, Continue };

  /// A template that computes more is none for messages.
  void step(int line) {
    constexpr uint64_t kMost = 4'000'000;
    if (++steps > kMost)
      failAt(line, fmt::format("expected at most {} steps", kMost));
  }

  //===--------------------------------------------------------------------===//
  // Statements
  //===--------------------------------------------------------------------===//

  void execute(const Statement &statement, Scope &scope, std::string &to) {
    step(statement.line);
    using K = Statement::Kind;
    switch (statement.kind) {
    case K::Text:
      to += statement.text;
      break;
    case K::Output:
      to +=
          atLine(statement.line, [&] { return evaluate(*statement.expressions[0], scope).text(); });
      break;
    case K::If:
      return executeIf(statement, scope, to);
    case K::For:
      return executeFor(statement, scope, to);
    case K::Set:
      return atLine(statement.line, [&] { assign(statement, scope); });
    case K::SetBlock: {
      std::string text;
      render(statement.bodies[0], scope, text);
      scope.names[statement.names[0]] = Value(std::move(text));
      break;
    }
    case K::Macro:
      scope.names[statement.names[0]] = macro(statement);
      break;
    case K::Block:
      return render(statement.bodies[0], scope, to);
    case K::Break:
      leaves = Leaves::Break;
      break;
    case K::Continue:
      leaves = Leaves::Continue;
      break;
    }
    atLine(statement.line, [&] { requireSize(to.size()); });
  }

  void executeIf(const Statement &statement, Scope &scope, std::string &to) {
    const size_t conditions = statement.expressions.size();
    size_t chosen = 0;
    while (chosen < conditions && !evaluate(*statement.expressions[chosen], scope).isTrue())
      ++chosen;
    if (chosen < statement.bodies.size())
      render(statement.bodies[chosen], scope, to);
  }

  void bind(const Statement &statement, const Value &value, Scope &scope) {
    const std::vector<std::string> &names = statement.names;
    if (names.size() == 1) {
      scope.names[names[0]] = value;
      return;
    }
    const std::vector<Value> parts = value.elements();
    if (parts.size() != names.size())
      failAt(statement.line,
             fmt::format("expected {} values to assign, found {}", names.size(), parts.size()));
    for (size_t i = 0; i < names.size(); ++i)
      scope.names[names[i]] = parts[i];
  }

  void executeFor(const Statement &statement, Scope &scope, std::string &to) {
    const Value list = evaluate(*statement.expressions[0], scope);
    std::vector<Value> items = atLine(statement.line, [&] { return list.elements(); });
    if (const Expression *condition = statement.expressions[1].get())
      std::erase_if(items, [&](const Value &item) {
        Scope inner{&scope, {}};
        bind(statement, item, inner);
        return !evaluate(*condition, inner).isTrue();
      });
    if (items.empty() && statement.bodies.size() > 1)
      return render(statement.bodies[1], scope, to);
    const Value *outer = scope.find("loop");
    const Value *depth = outer && outer->is<Dict>() ? (*outer->as<Dict>())->find("depth") : nullptr;
    const int64_t level = depth && depth->is<int64_t>() ? *depth->as<int64_t>() + 1 : 1;
    Dict loop;
    for (size_t i = 0; i < items.size(); ++i) {
      step(statement.line);
      Scope inner{&scope, {}};
      if (loop.use_count() == 1)
        setPlace(*loop, items, i);
      else // the first, or one that a name outlives
        loop = makeLoop(items, i, level);
      inner.names["loop"] = loop;
      bind(statement, items[i], inner);
      render(statement.bodies[0], inner, to);
      if (std::exchange(leaves, Leaves::No) == Leaves::Break)
        return;
    }
  }

  static Dict makeLoop(const std::vector<Value> &items, size_t at, int64_t depth) {
    auto loop = std::make_shared<DictBody>();
    setPlace(*loop, items, at);
    loop->set("length", Value(static_cast<int64_t>(items.size())));
    loop->set("depth", Value(depth));
    loop->set("depth0", Value(depth - 1));
    return loop;
  }

  /// The fields of `loop` that differ between iterations.
  static void setPlace(DictBody &loop, const std::vector<Value> &items, size_t at) {
    const auto i = static_cast<int64_t>(at), count = static_cast<int64_t>(items.size());
    loop.set("index", Value(i + 1));
    loop.set("index0", Value(i));
    loop.set("revindex", Value(count - i));
    loop.set("revindex0", Value(count - i - 1));
    loop.set("first", Value(i == 0));
    loop.set("last", Value(i + 1 == count));
    loop.set("previtem", i ? items[at - 1] : Value(Undefined{"previtem"}));
    loop.set("nextitem", i + 1 < count ? items[at + 1] : Value(Undefined{"nextitem"}));
  }

  void assign(const Statement &statement, Scope &scope) {
    Value value = evaluate(*statement.expressions[0], scope);
    if (statement.attribute.empty())
      return bind(statement, value, scope);
    const Value *found = scope.find(statement.names[0]);
    const auto *dict = found ? found->as<Dict>() : nullptr;
    if (!dict || !(*dict)->isNamespace)
      throw Failure(
          fmt::format("expected a namespace to set a field of, found {}",
                      found ? found->kind() : "'" + statement.names[0] + "', which is undefined"));
    (*dict)->set(statement.attribute, std::move(value));
  }

  /// A macro sees the names of the whole template and its own.
  Value macro(const Statement &statement) {
    return Function([this, &statement](const Arguments &arguments) {
      if (++calls > 50)
        throw Failure("expected macros to call each other at most 50 levels deep");
      Scope scope{&top, {}};
      for (size_t i = 1; i < statement.names.size(); ++i) {
        const std::string &name = statement.names[i];
        Value value = arguments.get(i - 1, name, Undefined{name});
        const Expression *otherwise = statement.expressions[i - 1].get();
        if (value.is<Undefined>() && otherwise)
          value = evaluate(*otherwise, scope);
        scope.names[name] = std::move(value);
      }
      std::string text;
      render(statement.bodies[0], scope, text);
      --calls;
      return Value(std::move(text));
    });
  }

  //===--------------------------------------------------------------------===//
  // Expressions
  //===--------------------------------------------------------------------===//

  /// Adds the line to the message of a Failure that has none.
  template <typename Run> static auto atLine(int line, Run run) -> decltype(run()) {
    try {
      return run();
    } catch (const Failure &failure) {
      if (std::string_view(failure.what()).starts_with("line "))
        throw;
      failAt(line, failure.what());
    }
  }

  Value evaluate(const Expression &expression, Scope &scope) {
    step(expression.line);
    return atLine(expression.line, [&] { return compute(expression, scope); });
  }

  Value operand(const Expression &expression, size_t index, Scope &scope) {
    const Expression *which = expression.operands[index].get();
    return which ? evaluate(*which, scope) : Value();
  }

  Arguments argumentsOf(const Expression &expression, size_t first, Scope &scope) {
    Arguments arguments;
    for (size_t i = first; i < expression.operands.size(); ++i)
      arguments.positional.push_back(evaluate(*expression.operands[i], scope));
    for (const auto &[name, value] : expression.named)
      arguments.named.emplace_back(name, evaluate(*value, scope));
    return arguments;
  }

  Value compute(const Expression &expression, Scope &scope) {
    switch (expression.kind) {
    case Kind::Literal:
      return expression.value;
    case Kind::Name: {
      const Value *found = scope.find(expression.name);
      return found ? *found : Value(Undefined{expression.name});
    }
    case Kind::List:
      return Value(argumentsOf(expression, 0, scope).positional);
    case Kind::Dict: {
      std::vector<std::pair<std::string, Value>> fields;
      for (size_t i = 0; i < expression.operands.size(); i += 2)
        fields.emplace_back(requireText(operand(expression, i, scope), "a key of a dictionary"),
                            operand(expression, i + 1, scope));
      return makeDict(std::move(fields));
    }
    case Kind::Attribute:
      return attributeOf(operand(expression, 0, scope), expression.name);
    case Kind::Index:
      return elementOf(operand(expression, 0, scope), operand(expression, 1, scope));
    case Kind::Slice:
      return sliceOf(operand(expression, 0, scope), operand(expression, 1, scope),
                     operand(expression, 2, scope), operand(expression, 3, scope));
    case Kind::Call:
      return call(expression, scope);
    case Kind::Filter:
      return applyFilter(expression.name, argumentsOf(expression, 0, scope));
    case Kind::Test:
      return applyTest(expression.name, argumentsOf(expression, 0, scope));
    case Kind::Unary:
      return unary(expression, scope);
    case Kind::Binary: {
      Value left = operand(expression, 0, scope);
      if (expression.name == "and" || expression.name == "or")
        return left.isTrue() == (expression.name == "or") ? left : operand(expression, 1, scope);
      return binary(expression.name, left, operand(expression, 1, scope));
    }
    case Kind::Condition:
      return operand(expression, operand(expression, 0, scope).isTrue() ? 1 : 2, scope);
    }
    return {};
  }

  Value call(const Expression &expression, Scope &scope) {
    const Value callee = operand(expression, 0, scope);
    if (const auto *function = callee.as<Function>())
      return (*function)(argumentsOf(expression, 1, scope));
    throw Failure(fmt::format("expected a function to call, found {}", callee.kind()));
  }

  Value unary(const Expression &expression, Scope &scope) {
    const Value value = operand(expression, 0, scope);
    if (expression.name == "not")
      return Value(!value.isTrue());
    return binary(expression.name, Value(int64_t(0)), value);
  }

  Scope &top;
  Leaves leaves = Leaves::No;
  uint64_t steps = 0;
  int calls = 0;
};
} // namespace

std::string render(const Body &body, std::map<std::string, Value> names) {
  Scope builtins{nullptr, globals()};
  Scope top{&builtins, std::move(names)};
  std::string text;
  Renderer(top).render(body, top, text);
  return text;
}

} // namespace ttrt::language::chat
