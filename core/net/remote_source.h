#pragma once

#include "core/net/network_thread.h"
#include "core/net/transport.h"
#include "core/net/transport_choice.h"
#include "core/source/token_source.h"

#include <memory>
#include <optional>
#include <string>

namespace decodescope {

class Outlet;

/// A run against an endpoint: the session's handle on an Exchange that lives on the network thread.
class RemoteSource final : public TokenSource {
public:
    /// `clockSource` is what the transports of the factory stamp with.
    RemoteSource(NetworkThread& network, TransportFactory transports, ClockSource clockSource, RunSpec spec,
                 SourceOutput output);
    ~RemoteSource() override;

    void prepare() override;
    [[nodiscard]] bool ready() const override;
    void release(std::optional<Instant> scheduled) override;
    void cancel(ErrorKind kind) override;
    [[nodiscard]] Instant now() const override;
    [[nodiscard]] ClockSource clockSource() const override { return m_clockSource; }

private:
    void endHere(ErrorKind kind, const std::string& message);

    NetworkThread& m_network;
    TransportFactory m_transports;
    ClockSource m_clockSource;
    RunSpec m_spec;
    std::shared_ptr<Outlet> m_outlet;
    struct Slot;
    std::shared_ptr<Slot> m_slot; // null until prepared, and when the spec was refused
    bool m_ended = false;         // the end was posted from here: refused, or cancelled before it was prepared
};

/// For the composition root: sources over a kind of transport. `network` must outlive every source made.
[[nodiscard]] SourceFactory makeRemoteSourceFactory(NetworkThread& network, TransportKind kind = bestTransportKind());
/// The same over another transport.
[[nodiscard]] SourceFactory makeRemoteSourceFactory(NetworkThread& network, TransportFactory transports,
                                                    ClockSource clockSource);

} // namespace decodescope
