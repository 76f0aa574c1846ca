#include "core/wire/azure_chat.h"

namespace decodescope {

void AzureChat::readMessage(JsonView message, MessageContent& out) {
    m_chat.readMessage(message, out);
    if (!out.fragments.empty() || !out.keepalive.empty())
        return;
    bool filter = message["prompt_filter_results"] || message["prompt_annotations"];
    for (const JsonView choice : message["choices"])
        filter = filter || (!choice["delta"] && (choice["content_filter_results"] || choice["content_filter_offsets"]));
    if (filter)
        out.keepalive = "content filter";
}

} // namespace decodescope
