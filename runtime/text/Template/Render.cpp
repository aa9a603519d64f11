// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Template/Render.h"

#include "text/Template/Builtins.h"
#include "text/Template/Lexer.h"
#include "text/Template/Writers.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace ttrt::language::chat {

using Kind = Expression::Kind;

namespace {
/// Names and their values. Those of a loop's body or a macro are seen only there.
struct Scope {
  const Scope *outer;
  std::map<std::string, Value> names;

  const Value *find(const std::string &name, Budget &budget) const {
    for (const Scope *scope = this; scope; scope = scope->outer) {
      pay(name, scope->names.size(), budget);
      if (const auto found = scope->names.find(name); found != scope->names.end())
        return &found->second;
    }
    return nullptr;
  }
  void set(const std::string &name, Value value, Budget &budget) {
    pay(name, names.size(), budget);
    const size_t before = names.size();
    names[name] = std::move(value);
    if (names.size() > before) {
      constexpr size_t kNode = 4 * sizeof(void *);
      budget.hold(kNode + sizeof(std::string) + sizeof(Value) + name.size());
    }
  }

private:
  /// A map compares `name` with about as many others as their number has bits.
  static void pay(const std::string &name, size_t count, Budget &budget) {
    budget.read(4 + static_cast<uint64_t>(std::bit_width(count)) * (1 + name.size() / 16));
  }
};

class Renderer {
public:
  Renderer(Scope &names, Budget &budget) : top(names), budget(budget) {}

  void render(const Body &body, Scope &scope, TextWriter &to) {
    const Budget::Level deeper(budget);
    for (const auto &statement : body) {
      execute(*statement, scope, to);
      if (leaves != Leaves::No)
        return;
    }
  }

private:
  enum class Leaves { No, Break, Continue };

  //===--------------------------------------------------------------------===//
  // Statements
  //===--------------------------------------------------------------------===//

  void execute(const Statement &statement, Scope &scope, TextWriter &to) {
    return atLine(statement.line, [&] {
      budget.step();
      run(statement, scope, to);
    });
  }

  void run(const Statement &statement, Scope &scope, TextWriter &to) {
    using K = Statement::Kind;
    switch (statement.kind) {
    case K::Text:
      return to.add(statement.text);
    case K::Output:
      return evaluate(*statement.expressions[0], scope).print(to);
    case K::If:
      return executeIf(statement, scope, to);
    case K::For:
      return executeFor(statement, scope, to);
    case K::Set:
      return assign(statement, scope);
    case K::SetBlock: {
      TextWriter text(budget);
      render(statement.bodies[0], scope, text);
      return scope.set(statement.names[0], text.share(), budget);
    }
    case K::Macro:
      return scope.set(statement.names[0], macro(statement), budget);
    case K::Block:
      return render(statement.bodies[0], scope, to);
    case K::Break:
      leaves = Leaves::Break;
      return;
    case K::Continue:
      leaves = Leaves::Continue;
      return;
    }
  }

  void executeIf(const Statement &statement, Scope &scope, TextWriter &to) {
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
      scope.set(names[0], value, budget);
      return;
    }
    const std::vector<Value> parts = value.elements(budget);
    if (parts.size() != names.size())
      throw Failure(
          fmt::format("expected {} values to assign, found {}", names.size(), parts.size()));
    for (size_t i = 0; i < names.size(); ++i)
      scope.set(names[i], parts[i], budget);
  }

  void executeFor(const Statement &statement, Scope &scope, TextWriter &to) {
    std::vector<Value> items = evaluate(*statement.expressions[0], scope).elements(budget);
    if (const Expression *condition = statement.expressions[1].get())
      std::erase_if(items, [&](const Value &item) {
        Scope inner{&scope, {}};
        bind(statement, item, inner);
        return !evaluate(*condition, inner).isTrue();
      });
    if (items.empty() && statement.bodies.size() > 1)
      return render(statement.bodies[1], scope, to);
    const Value *outer = scope.find("loop", budget);
    const Value *depth = outer && outer->is<Dict>() ? (*outer->as<Dict>())->find("depth") : nullptr;
    const int64_t level = depth && depth->is<int64_t>() ? *depth->as<int64_t>() + 1 : 1;
    int itemDepth = 0;
    for (const Value &item : items)
      itemDepth = std::max(itemDepth, item.depth());
    Dict loop;
    for (size_t i = 0; i < items.size(); ++i) {
      budget.step();
      Scope inner{&scope, {}};
      if (loop.use_count() != 1) // the first, or one that a name outlives
        loop = makeLoop(items.size(), itemDepth, level);
      setPlace(*loop, items, i);
      inner.set("loop", loop, budget);
      bind(statement, items[i], inner);
      render(statement.bodies[0], inner, to);
      if (std::exchange(leaves, Leaves::No) == Leaves::Break)
        return;
    }
  }

  /// What `loop` is in the body of a loop, without the place.
  Dict makeLoop(size_t length, int itemDepth, int64_t level) const {
    constexpr const char *kPlaces[] = {"index", "index0", "revindex", "revindex0",
                                       "first", "last",   "previtem", "nextitem"};
    auto loop = std::make_shared<DictBody>();
    for (const char *place : kPlaces)
      loop->set(std::string(place), {});
    loop->set(std::string("length"), Value(static_cast<int64_t>(length)));
    loop->set(std::string("depth"), Value(level));
    loop->set(std::string("depth0"), Value(level - 1));
    budget.hold(sizeof(DictBody) + loop->fields.size() * sizeof(loop->fields[0]));
    loop->depth = itemDepth + 1; // of the items before and after
    return loop;
  }

  /// Sets the first fields of `loop`, which differ between iterations.
  static void setPlace(DictBody &loop, const std::vector<Value> &items, size_t at) {
    const auto i = static_cast<int64_t>(at), count = static_cast<int64_t>(items.size());
    auto field = loop.fields.begin();
    auto set = [&](Value value) { (field++)->second = std::move(value); };
    set(Value(i + 1));
    set(Value(i));
    set(Value(count - i));
    set(Value(count - i - 1));
    set(Value(i == 0));
    set(Value(i + 1 == count));
    set(i ? items[at - 1] : Undefined("previtem"));
    set(i + 1 < count ? items[at + 1] : Undefined("nextitem"));
  }

  void assign(const Statement &statement, Scope &scope) {
    Value value = evaluate(*statement.expressions[0], scope);
    if (statement.attribute.empty())
      return bind(statement, value, scope);
    const Value *found = scope.find(statement.names[0], budget);
    const auto *dict = found ? found->as<Dict>() : nullptr;
    if (!dict || !(*dict)->isNamespace)
      throw Failure(
          fmt::format("expected a namespace to set a field of, found {}",
                      found ? found->kind() : "'" + statement.names[0] + "', which is undefined"));
    (*dict)->set(statement.attribute, std::move(value), budget);
  }

  /// A macro sees the names of the whole template and its own.
  Value macro(const Statement &statement) {
    return makeFunction([this, &statement](const Arguments &arguments) -> Value {
      if (++calls > 50)
        throw Failure("expected macros to call each other at most 50 levels deep");
      Scope scope{&top, {}};
      for (size_t i = 1; i < statement.names.size(); ++i) {
        const std::string &name = statement.names[i];
        Value value = arguments.get(i - 1, name, undefined(name));
        const Expression *otherwise = statement.expressions[i - 1].get();
        if (value.is<Undefined>() && otherwise)
          value = evaluate(*otherwise, scope);
        scope.set(name, std::move(value), budget);
      }
      TextWriter text(budget);
      render(statement.bodies[0], scope, text);
      --calls;
      return text.share();
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

  Value undefined(const std::string &name) {
    budget.read(name.size());
    budget.hold(name.size());
    return Undefined(name);
  }

  Value evaluate(const Expression &expression, Scope &scope) {
    return atLine(expression.line, [&] {
      const Budget::Level deeper(budget);
      budget.step();
      return compute(expression, scope);
    });
  }

  Value operand(const Expression &expression, size_t index, Scope &scope) {
    const Expression *which = expression.operands[index].get();
    return which ? evaluate(*which, scope) : Value();
  }

  Arguments argumentsOf(const Expression &expression, size_t first, Scope &scope) {
    Arguments arguments(budget);
    for (size_t i = first; i < expression.operands.size(); ++i)
      arguments.positional.push_back(evaluate(*expression.operands[i], scope));
    for (const auto &[name, value] : expression.named) {
      budget.read(name.size());
      arguments.named.emplace_back(name, evaluate(*value, scope));
    }
    return arguments;
  }

  Value compute(const Expression &expression, Scope &scope) {
    switch (expression.kind) {
    case Kind::Literal:
      return expression.value;
    case Kind::Name: {
      const Value *found = scope.find(expression.name, budget);
      return found ? *found : undefined(expression.name);
    }
    case Kind::List:
      return list(expression, scope);
    case Kind::Dict:
      return dict(expression, scope);
    case Kind::Attribute:
      return attributeOf(operand(expression, 0, scope), expression.name, budget);
    case Kind::Index:
      return index(expression, scope);
    case Kind::Slice:
      return slice(expression, scope);
    case Kind::Call:
      return call(expression, scope);
    case Kind::Filter:
      return applyFilter(expression.name, argumentsOf(expression, 0, scope));
    case Kind::Test:
      return applyTest(expression.name, argumentsOf(expression, 0, scope));
    case Kind::Unary:
      return unary(expression, scope);
    case Kind::Binary:
      return operation(expression, scope);
    case Kind::Condition:
      return operand(expression, operand(expression, 0, scope).isTrue() ? 1 : 2, scope);
    }
    return {};
  }

  // Functions of their own keep the frame of compute(), which recursion repeats, small.

  Value list(const Expression &expression, Scope &scope) {
    ListWriter items(budget);
    for (const auto &item : expression.operands)
      items.add(evaluate(*item, scope));
    return Value(items.take());
  }

  Value dict(const Expression &expression, Scope &scope) {
    Fields fields;
    for (size_t i = 0; i < expression.operands.size(); i += 2) {
      const Value key = operand(expression, i, scope);
      const auto *number = key.as<int64_t>();
      const auto *text = key.as<std::string>();
      if (!number && !text)
        throw Failure("a key of a dictionary: expected a string or an integer, found " +
                      key.kind());
      const Key name = number ? Key(*number) : Key(*text);
      budget.read(name.size());
      budget.hold(name.size());
      fields.emplace_back(name, operand(expression, i + 1, scope));
    }
    return makeDict(std::move(fields), budget);
  }

  Value index(const Expression &expression, Scope &scope) {
    const Value value = operand(expression, 0, scope);
    return elementOf(value, operand(expression, 1, scope), budget);
  }

  Value slice(const Expression &expression, Scope &scope) {
    const Value value = operand(expression, 0, scope), begin = operand(expression, 1, scope),
                end = operand(expression, 2, scope);
    return sliceOf(value, begin, end, operand(expression, 3, scope), budget);
  }

  Value operation(const Expression &expression, Scope &scope) {
    Value left = operand(expression, 0, scope);
    if (expression.name == "and" || expression.name == "or")
      return left.isTrue() == (expression.name == "or") ? left : operand(expression, 1, scope);
    return binary(expression.name, left, operand(expression, 1, scope), budget);
  }

  Value call(const Expression &expression, Scope &scope) {
    const Value callee = operand(expression, 0, scope);
    if (const auto *function = callee.as<Function>())
      return (*function)->call(argumentsOf(expression, 1, scope));
    throw Failure(fmt::format("expected a function to call, found {}", callee.kind()));
  }

  Value unary(const Expression &expression, Scope &scope) {
    const Value value = operand(expression, 0, scope);
    if (expression.name == "not")
      return Value(!value.isTrue());
    return binary(expression.name, Value(int64_t(0)), value, budget);
  }

  Scope &top;
  Budget &budget;
  Leaves leaves = Leaves::No;
  int calls = 0;
};
} // namespace

std::string render(const Body &body, std::map<std::string, Value> names, Budget &budget) {
  Scope builtins{nullptr, globals()};
  Scope top{&builtins, std::move(names)};
  TextWriter text(budget);
  Renderer(top, budget).render(body, top, text);
  return text.take();
}

} // namespace ttrt::language::chat
