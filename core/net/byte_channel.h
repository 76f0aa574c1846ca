#pragma once

#include "core/net/transport.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace decodescope {

/// One layer of a connection that KernelStampTransport stacks: at the bottom a KernelSocket (TCP), above it, where
/// they are wanted, filters: a proxy's tunnel, TLS. Each layer speaks to the one above through TransportListener, with
/// TransportListener's rules: one onConnected(), then reads, and nothing after close(), onClosed() or onFailed().
///
/// Stamps go up unchanged. KernelSocket calls onBytes() once for each recvmsg, with that read's own stamp. A filter
/// gives what it makes of one read to its listener in one onBytes() with the stamp of that read: plaintext carries the
/// stamp of the ciphertext read that completed it, all records that one read completed come as one piece, and a read
/// that completes nothing is not told. Filters never ask a clock for reads.
///
/// Whoever listens may close or destroy the whole stack from within any callback, so after calling its listener a layer
/// touches none of its members unless it has made sure that it still lives. Network thread only.
class ByteChannel {
public:
    virtual ~ByteChannel() = default;
    /// Begins to open; onConnected() follows, never within this call, once this layer and all below are up.
    virtual void open(TransportListener& listener) = 0;
    /// Tells `listener` from now on: an open channel serves another run. stampReport() begins anew.
    virtual void handTo(TransportListener& listener) = 0;
    /// Queues bytes and writes what the layer below takes at once; onSent() follows when the last of them has left,
    /// within this call or later. Handshakes of a filter are not told.
    virtual void send(std::string_view bytes) = 0;
    /// Ends the connection now, without a word to the listener.
    virtual void close() = 0;
    /// Whether the open connection is whole and silent, as far as the kernel knows by now.
    [[nodiscard]] virtual bool idle() const = 0;
    /// Fills in what this layer and those below know.
    virtual void describe(ConnectionFacts& facts) const = 0;
    /// How well the reads since open() or handTo() were stamped.
    [[nodiscard]] virtual StampReport stampReport() const = 0;
};

/// A layer above another one: everything passes through unless a filter overrides it. A filter that shakes hands
/// does so between the onConnected() it hears and the one it tells.
class ChannelFilter : public ByteChannel, protected TransportListener {
public:
    explicit ChannelFilter(std::unique_ptr<ByteChannel> below)
        : m_below(std::move(below)) {}

    void open(TransportListener& listener) override {
        m_listener = &listener;
        m_below->open(*this);
    }
    void handTo(TransportListener& listener) override {
        m_listener = &listener;
        m_below->handTo(*this);
    }
    void send(std::string_view bytes) override { m_below->send(bytes); }
    void close() override { m_below->close(); }
    [[nodiscard]] bool idle() const override { return m_below->idle(); }
    void describe(ConnectionFacts& facts) const override { m_below->describe(facts); }
    [[nodiscard]] StampReport stampReport() const override { return m_below->stampReport(); }

protected:
    void onConnected(Instant at) override { listener().onConnected(at); }
    void onSent(Instant at) override { listener().onSent(at); }
    void onBytes(Instant at, std::string_view bytes) override { listener().onBytes(at, bytes); }
    void onClosed(Instant at) override { listener().onClosed(at); }
    void onFailed(Instant at, ErrorKind kind, std::string message) override {
        listener().onFailed(at, kind, std::move(message));
    }
    [[nodiscard]] ByteChannel& below() const { return *m_below; }
    [[nodiscard]] TransportListener& listener() const { return *m_listener; }

private:
    std::unique_ptr<ByteChannel> m_below;
    TransportListener* m_listener = nullptr; // set by open()
};

} // namespace decodescope
