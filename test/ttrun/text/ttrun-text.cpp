// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: ttrun-text encode TOKENIZER.json   [[hexadecimal bytes, parse names of control tokens],
// ...]
//        ttrun-text decode TOKENIZER.json   [[token, ...], ...]
//        ttrun-text protect TOKENIZER.json  [[text, in front of it, after it], ...]
//        ttrun-text render TEMPLATE.jinja   [{name: value, ...}, ...]
//
// Reads JSON from standard input and writes an array of as many results: tokens; the pieces of
// text, one for each token and one at the end; the tokens of a text with a protected part; {"text":
// ...} or
// {"error": ...}.

#include "Formats/Json.h"
#include "text/ChatTemplate.h"
#include "text/Error.h"
#include "text/JsonReader.h"
#include "text/Tokenizer.h"
#include "text/Utf8.h"

#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace ttrun;

static std::string contentsOf(std::istream &stream) {
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

static std::string bytesOf(const std::string &digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

/// Not by JsonValue: the order of fields is seen in templates.
static chat::Value readValue(JsonCursor &cursor) {
  switch (cursor.kind()) {
  case JsonCursor::Kind::Null:
    cursor.readNull();
    return chat::None();
  case JsonCursor::Kind::Bool:
    return cursor.readBool();
  case JsonCursor::Kind::Number: {
    const double number = cursor.readNumber();
    const auto integer = static_cast<int64_t>(number);
    return static_cast<double>(integer) == number ? chat::Value(integer) : chat::Value(number);
  }
  case JsonCursor::Kind::String: {
    std::string text;
    cursor.readString(text);
    return text;
  }
  case JsonCursor::Kind::Array: {
    std::vector<chat::Value> items;
    cursor.readArray([&] { items.push_back(readValue(cursor)); });
    return items;
  }
  case JsonCursor::Kind::Object:
    break;
  }
  std::vector<std::pair<std::string, chat::Value>> fields;
  cursor.readObject([&](const std::string &name) { fields.emplace_back(name, readValue(cursor)); });
  return chat::makeDict(std::move(fields));
}

static void addTokens(Json &json, const std::vector<int32_t> &tokens) {
  json.beginArray(/*flat=*/true);
  for (int32_t token : tokens)
    json.value(token);
  json.endArray();
}

static void addPieces(Json &json, const Tokenizer &tokenizer, const JsonValue &tokens) {
  Utf8Stream stream;
  json.beginArray(/*flat=*/true);
  for (const JsonValue &token : tokens.items) {
    std::string bytes;
    tokenizer.decode(static_cast<int32_t>(token.number), bytes, /*control=*/true);
    json.value(stream.push(bytes));
  }
  json.value(stream.finish()).endArray();
}

static void addRendered(Json &json, const ChatTemplate &chat, JsonCursor &input) {
  std::map<std::string, chat::Value> values;
  input.readObject([&](const std::string &name) { values[name] = readValue(input); });
  json.beginObject();
  try {
    json.field("text", chat.render(std::move(values)));
  } catch (const TextError &error) {
    json.field("error", error.what());
  }
  json.endObject();
}

static void run(const std::string &what, const std::string &file) {
  const std::string text = contentsOf(std::cin);
  Json json;
  json.beginArray();
  if (what == "render") {
    const ChatTemplate chat(file);
    JsonCursor inputs(text);
    inputs.readArray([&] { addRendered(json, chat, inputs); });
    json.endArray();
    fmt::print("{}", json.take());
    return;
  }
  const Tokenizer tokenizer(file);
  for (const JsonValue &input : JsonValue::parse(text).items) {
    std::vector<int32_t> tokens;
    if (what == "decode") {
      addPieces(json, tokenizer, input);
      continue;
    }
    if (what == "encode")
      tokenizer.encode(bytesOf(input.items.at(0).string),
                       input.items.at(1).number != 0 ? Tokenizer::Control::Parse
                                                     : Tokenizer::Control::AsText,
                       tokens);
    else
      tokenizer.encode(input.items.at(1).string + tokenizer.protect(input.items.at(0).string) +
                           input.items.at(2).string,
                       Tokenizer::Control::ParseMarked, tokens);
    addTokens(json, tokens);
  }
  json.endArray();
  fmt::print("{}", json.take());
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: ttrun-text encode|decode|protect|render FILE < INPUTS\n");
    return 2;
  }
  try {
    std::ifstream file(argv[2], std::ios::binary);
    run(argv[1], contentsOf(file));
  } catch (const TextError &error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
