#include "agent/redaction.h"

#include <QByteArray>
#include <algorithm>
#include <utility>

#include "agent/error.h"

namespace agent {
namespace {

std::vector<std::string> forms_of(const std::string& value) {
  const QByteArray bytes = QByteArray::fromStdString(value);
  std::string json = nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  json = json.substr(1, json.size() - 2);
  return {value, json, bytes.toPercentEncoding().toStdString(),
          bytes.toBase64(QByteArray::OmitTrailingEquals).toStdString()};
}

}  // namespace

void Redaction::add(std::string name, const std::string& value) {
  if (value.empty()) throw Error("the secret {{" + name + "}} has no value; give it one or forget it");
  const std::vector<std::string> forms = forms_of(value);
  std::erase_if(spellings_, [&](const Spelling& spelling) { return spelling.name == name; });
  for (std::size_t form = 0; form < forms.size(); ++form) {
    if (form > 0 && forms[form] == value) continue;
    spellings_.push_back({name, forms[form]});
  }
  std::stable_sort(spellings_.begin(), spellings_.end(),
                   [](const Spelling& a, const Spelling& b) { return a.value.size() > b.value.size(); });
}

std::string Redaction::text(std::string text) const {
  for (const Spelling& spelling : spellings_) {
    const std::string placeholder = "{{" + spelling.name + "}}";
    for (std::size_t at = text.find(spelling.value); at != std::string::npos;
         at = text.find(spelling.value, at + placeholder.size())) {
      text.replace(at, spelling.value.size(), placeholder);
    }
  }
  return text;
}

std::size_t Redaction::open_end(std::string_view text) const {
  std::size_t n_open = 0;
  for (const Spelling& spelling : spellings_) {
    for (std::size_t n = std::min(text.size(), spelling.value.size() - 1); n > n_open; --n) {
      if (text.ends_with(std::string_view(spelling.value).substr(0, n))) n_open = n;
    }
  }
  return n_open;
}

nlohmann::ordered_json Redaction::json(const nlohmann::ordered_json& value) const {
  if (spellings_.empty()) return value;
  if (value.is_string()) return text(value.get<std::string>());
  if (value.is_number()) {
    const std::string digits = value.dump(), shown = text(digits);
    return shown == digits ? value : nlohmann::ordered_json(shown);
  }
  nlohmann::ordered_json result = value;
  if (value.is_array()) {
    for (auto& item : result) item = json(item);
  } else if (value.is_object()) {
    result = nlohmann::ordered_json::object();
    for (const auto& [key, item] : value.items()) result[text(key)] = json(item);
  }
  return result;
}

}  // namespace agent
