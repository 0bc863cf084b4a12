#pragma once
// Keys and passwords from where the user keeps them. They are never printed: messages name the place, not the value.
// What comes from an environment variable is taken out of it: ask once, before threads are started.

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

namespace agent {

// ~/.config/deskhand
std::filesystem::path config_dir();

// The content without its last line end. Throws Error when the file can't be read, is empty, belongs to somebody else
// or can be read by others.
std::string read_private_file(const std::filesystem::path& file);

// From the desktop's keyring, by the attributes service=deskhand and `attribute`=`value`. Nothing when there is none,
// no keyring here, or it was stopped: a keyring may wait for the user to unlock it.
std::optional<std::string> from_keyring(const std::string& attribute, const std::string& value,
                                        const std::stop_token& stop = {});

// The key for a model server ("host" or "host:port"): $DESKHAND_API_KEY, else the file keys/HOST in the configuration,
// else the keyring. Nothing: many servers need none.
std::optional<std::string> server_key(const std::string& host, const std::stop_token& stop = {});
// Keeps it for later: in the file keys/HOST, which only the user can read. Throws Error.
void keep_server_key(const std::string& host, const std::string& key);
// How to give one, for messages.
std::string how_to_give_key(const std::string& host);

// The secret that the user gave a name: $DESKHAND_SECRET_NAME, else the file secrets/NAME in the configuration, else
// the keyring. Throws Error when it is nowhere.
std::string named_secret(const std::string& name);

}  // namespace agent
