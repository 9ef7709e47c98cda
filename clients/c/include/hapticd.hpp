/*
 * hapticd.hpp - hapticd.h for C++17 and later: handles that free themselves, and two faces of each
 * call. All inline; nothing here is part of a binary interface.
 *
 *     hapticd::client client("my program");                       // throws hapticd::error
 *     auto arm = client.subscribe(0, HD_TOPIC_STATE | HD_TOPIC_WAKE);
 *     while (auto state = arm.wait_tick(1000))                     // never throws
 *         draw(state->world_from_proxy);
 *
 * Without exceptions (-fno-exceptions) only the second face is there. Its functions begin with
 * `try_` and return a result<T>: the value, or a `failure`.
 *
 *     auto client = hapticd::client::try_connect("my program");
 *     if (!client) puts(client.error().message());
 *
 * result<T> is std::expected where the library has it (C++23), and otherwise a class with the same
 * names. Units, frames, threads and real-time guarantees are those of hapticd.h. Classes can be
 * moved, not copied. One that was moved from, or default-constructed, is empty: its calls return
 * HD_INVALID.
 */
#ifndef HAPTICD_HPP
#define HAPTICD_HPP

#include <hapticd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>
#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_lib_expected) && __cpp_lib_expected >= 202202L
#include <expected>
#endif
#if defined(__cpp_exceptions)
#include <stdexcept>
#define HAPTICD_EXCEPTIONS 1
#endif

namespace hapticd {

/* A struct of hapticd.h with its size set: hapticd::make<hd_body_spec>(). */
template <typename Struct> inline Struct make() { return ::hd_init_<Struct>(); }

/* Three coordinates, or three indices. */
using point = std::array<float, 3>;
using triangle = std::array<std::uint32_t, 3>;

/* Why a call did not do what it should. */
class failure {
  public:
    failure() : error_(make<hd_error>()) {}
    explicit failure(const hd_error &error) : error_(error) {}
    /* Of a call that says no more than its status. */
    explicit failure(std::int32_t status) : failure() {
        error_.status = status;
        const char *text = hd_status_text(status);
        for (std::size_t k = 0; text[k] != 0 && k + 1 < sizeof error_.message; k++)
            error_.message[k] = text[k];
    }
    std::int32_t status() const noexcept { return error_.status; }           /* HD_* */
    std::uint32_t daemon_code() const noexcept { return error_.daemon_code; } /* HD_CODE_*, or 0 */
    std::uint64_t number() const noexcept { return error_.number; }
    std::uint64_t limit() const noexcept { return error_.limit; }
    const char *message() const noexcept { return error_.message; }

  private:
    hd_error error_;
};

#if defined(__cpp_lib_expected) && __cpp_lib_expected >= 202202L
template <typename T> using result = std::expected<T, failure>;
using unexpected = std::unexpected<failure>;
#else
/* Carries a failure into a result. */
struct unexpected {
    explicit unexpected(failure why) : value(std::move(why)) {}
    failure value;
};

/* A value or a failure, with the names of std::expected. */
template <typename T> class [[nodiscard]] result {
  public:
    result(T value) : held_(std::in_place_index<0>, std::move(value)) {}
    result(unexpected why) : held_(std::in_place_index<1>, std::move(why.value)) {}
    bool has_value() const noexcept { return held_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }
    /* Only with a value. */
    T &operator*() & noexcept { return *std::get_if<0>(&held_); }
    const T &operator*() const & noexcept { return *std::get_if<0>(&held_); }
    /* By value, so that `for (auto &body : *client.try_bodies())` holds what it walks over. */
    T operator*() && { return std::move(*std::get_if<0>(&held_)); }
    T *operator->() noexcept { return std::get_if<0>(&held_); }
    const T *operator->() const noexcept { return std::get_if<0>(&held_); }
    /* Only without a value. */
    const failure &error() const noexcept { return *std::get_if<1>(&held_); }

  private:
    std::variant<T, failure> held_;
};

/* Done, or a failure. */
template <> class [[nodiscard]] result<void> {
  public:
    result() = default;
    result(unexpected why) : why_(std::move(why.value)) {}
    bool has_value() const noexcept { return !why_; }
    explicit operator bool() const noexcept { return has_value(); }
    void operator*() const noexcept {}
    const failure &error() const noexcept { return *why_; }

  private:
    std::optional<failure> why_;
};
#endif

#if defined(HAPTICD_EXCEPTIONS)
/* What the throwing face throws. */
class error : public std::runtime_error {
  public:
    explicit error(failure why) : std::runtime_error(why.message()), why_(std::move(why)) {}
    std::int32_t status() const noexcept { return why_.status(); }
    std::uint32_t daemon_code() const noexcept { return why_.daemon_code(); }
    std::uint64_t number() const noexcept { return why_.number(); }
    std::uint64_t limit() const noexcept { return why_.limit(); }

  private:
    failure why_;
};
#endif

namespace detail {

template <typename T, void (*Free)(T *)> struct freer {
    void operator()(T *handle) const noexcept { Free(handle); }
};
template <typename T, void (*Free)(T *)> using handle = std::unique_ptr<T, freer<T, Free>>;

/* The result of a call that took `why` and returned `status`. A call that was given no handle, or
 * that reports nowhere, leaves `why` as it was. */
inline failure failed(std::int32_t status, const hd_error &why) {
    return why.status == status ? failure(why) : failure(status);
}

inline result<void> done(std::int32_t status, const hd_error &why) {
    if (status < 0)
        return unexpected(failed(status, why));
    return {};
}

#if defined(HAPTICD_EXCEPTIONS)
template <typename T> T unwrap(result<T> made) {
    if (!made)
        throw error(made.error());
    return *std::move(made);
}
template <> inline void unwrap(result<void> made) {
    if (!made)
        throw error(made.error());
}
#endif

} // namespace detail

/* A static, kinematic or dynamic body to add. Counter-clockwise triangles seen from outside. */
struct mesh {
    std::vector<std::array<double, 3>> positions_m;
    std::vector<triangle> triangles;
};

/* Where the tool will be at `time_ns`; `held` where it is not extrapolated to that time. */
struct prediction {
    hd_pose pose;
    bool held;
};
inline std::optional<prediction> predict_pose(const hd_arm_state &state, std::int64_t time_ns) {
    prediction made{};
    std::int32_t status = hd_predict_pose(&state, time_ns, &made.pose);
    made.held = status == HD_HELD;
    return status < 0 ? std::nullopt : std::optional(made);
}
inline std::optional<prediction> predict_proxy(const hd_arm_state &state, std::int64_t time_ns) {
    prediction made{};
    std::int32_t status = hd_predict_proxy(&state, time_ns, &made.pose);
    made.held = status == HD_HELD;
    return status < 0 ? std::nullopt : std::optional(made);
}

/* The shared blocks of an arm. Reads never throw; `status()` says why the last one of this object
 * gave nothing. Reads through `get()` may be done by any number of threads; those of this object by
 * one, since it keeps the status and the last tick. */
class subscription {
  public:
    subscription() = default;
    explicit subscription(hd_subscription *handle) : handle_(handle) {}

    /* The newest value. Real-time safe. */
    std::optional<hd_arm_state> read_state() noexcept { return read(hd_read_state); }
    std::optional<hd_contacts> read_contacts() noexcept { return read(hd_read_contacts); }
    std::optional<hd_bodies> read_bodies() noexcept { return read(hd_read_bodies); }
    std::optional<hd_needle> read_needle() noexcept { return read(hd_read_needle); }
    /* How often the state was published. Real-time safe. */
    std::uint64_t state_version() const noexcept { return hd_state_version(get()); }
    /* The next state after the last one that this function gave. */
    std::optional<hd_arm_state> wait_tick(std::int32_t timeout_ms) noexcept {
        auto state = wait_tick(tick_, timeout_ms);
        if (state)
            tick_ = state->tick;
        return state;
    }
    /* The first state whose tick is above `after_tick`. */
    std::optional<hd_arm_state> wait_tick(std::uint64_t after_tick,
                                          std::int32_t timeout_ms) noexcept {
        auto state = make<hd_arm_state>();
        status_ = hd_wait_tick(get(), after_tick, timeout_ms, &state);
        return status_ == HD_OK ? std::optional(state) : std::nullopt;
    }
    std::int32_t wake_fd() const noexcept { return hd_wake_fd(get()); }
    std::int32_t wake_clear() const noexcept { return hd_wake_clear(get()); }
    std::int32_t status() const noexcept { return status_; }
    const hd_subscription *get() const noexcept { return handle_.get(); }
    explicit operator bool() const noexcept { return handle_ != nullptr; }

  private:
    template <typename Struct>
    std::optional<Struct> read(std::int32_t (*call)(const hd_subscription *, Struct *)) noexcept {
        auto value = make<Struct>();
        status_ = call(get(), &value);
        return status_ == HD_OK ? std::optional(value) : std::nullopt;
    }
    detail::handle<hd_subscription, hd_subscription_free> handle_;
    std::int32_t status_ = HD_OK;
    std::uint64_t tick_ = 0;
};

/* The constant mesh of a body or a tool. */
struct shape {
    std::vector<point> points_m;
    std::vector<triangle> triangles;
};

/* The surface of a soft body, a cloth or a body of a crowd. */
class surface {
  public:
    surface() = default;
    explicit surface(hd_surface *handle) : handle_(handle) {
        hd_counts counts{};
        if (hd_surface_counts(handle, &counts) == HD_OK) {
            points_.resize(counts.points);
            triangles_.resize(counts.triangles);
            hd_surface_triangles(handle, corners(), triangles_.size());
        }
    }
    /* Takes the newest points; `points()` keeps the last ones where it returns less than 0. */
    std::int32_t read() noexcept {
        return hd_surface_read(get(), coordinates(), points_.size(), &frame_);
    }
    std::uint64_t version() const noexcept { return hd_surface_version(get()); }
    const std::vector<point> &points() const noexcept { return points_; }
    const std::vector<triangle> &triangles() const noexcept { return triangles_; }
    const hd_surface_frame &frame() const noexcept { return frame_; }
    hd_surface *get() const noexcept { return handle_.get(); }

  private:
    float *coordinates() noexcept { return points_.empty() ? nullptr : points_[0].data(); }
    std::uint32_t *corners() noexcept {
        return triangles_.empty() ? nullptr : triangles_[0].data();
    }
    detail::handle<hd_surface, hd_surface_free> handle_;
    std::vector<point> points_;
    std::vector<triangle> triangles_;
    hd_surface_frame frame_ = make<hd_surface_frame>();
};

/* The skin of an implicit body: another mesh in each frame. */
class skin {
  public:
    skin() = default;
    explicit skin(hd_skin *handle) : handle_(handle) {
        hd_counts most{};
        if (hd_skin_capacity(handle, &most) == HD_OK) {
            for (auto *list : {&points_, &normals_, &velocities_})
                list->resize(most.points);
            triangles_.resize(most.triangles);
        }
    }
    /* Takes the newest frame. The first `frame().points` of points, normals and velocities and the
     * first `frame().triangles` triangles are its own. */
    std::int32_t read() noexcept {
        auto to = make<hd_skin_buffers>();
        to.points_m = points_.empty() ? nullptr : points_[0].data();
        to.normals = normals_.empty() ? nullptr : normals_[0].data();
        to.velocities_m_s = velocities_.empty() ? nullptr : velocities_[0].data();
        to.triangles = triangles_.empty() ? nullptr : triangles_[0].data();
        to.point_capacity = points_.size();
        to.triangle_capacity = triangles_.size();
        return hd_skin_read(get(), &to, &frame_);
    }
    std::uint64_t version() const noexcept { return hd_skin_version(get()); }
    const point *points() const noexcept { return points_.data(); }
    const point *normals() const noexcept { return normals_.data(); }
    const point *velocities() const noexcept { return velocities_.data(); }
    const triangle *triangles() const noexcept { return triangles_.data(); }
    const hd_skin_frame &frame() const noexcept { return frame_; }
    hd_skin *get() const noexcept { return handle_.get(); }

  private:
    detail::handle<hd_skin, hd_skin_free> handle_;
    std::vector<point> points_, normals_, velocities_;
    std::vector<triangle> triangles_;
    hd_skin_frame frame_ = make<hd_skin_frame>();
};

/* A connection, for one thread at a time. */
class client {
  public:
    client() = default;
    explicit client(hd_client *handle) : handle_(handle) {}

    /* An empty `socket` is the default one; a patience below 0 has no end. */
    static result<client> try_connect(std::string_view name, std::string_view socket = {},
                                      std::int32_t patience_ms = 0) {
        auto options = make<hd_connect_options>();
        options.abi_version = HD_ABI_VERSION;
        options.name = name.data();
        options.name_length = name.size();
        options.socket = socket.empty() ? nullptr : socket.data();
        options.socket_length = socket.size();
        options.patience_ms = patience_ms;
        hd_client *made = nullptr;
        auto why = make<hd_error>();
        std::int32_t status = hd_connect_with(&options, &made, &why);
        if (status < 0)
            return unexpected(detail::failed(status, why));
        return client(made);
    }
    result<hd_welcome> try_welcome() const {
        auto made = make<hd_welcome>();
        std::int32_t status = hd_client_welcome(get(), &made);
        if (status < 0)
            return unexpected(failure(status));
        return made;
    }
    std::int32_t set_timeout_ms(std::int32_t timeout_ms) noexcept {
        return hd_client_set_timeout_ms(get(), timeout_ms);
    }
    std::int32_t fd() const noexcept { return hd_client_fd(get()); }
    /* The next event, or none in time. Renews leases: call it in every frame. */
    result<std::optional<hd_event>> try_poll(std::int32_t timeout_ms = 0) {
        auto made = make<hd_event>();
        auto why = make<hd_error>();
        std::int32_t status = hd_client_poll(get(), timeout_ms, &made, &why);
        if (status < 0)
            return unexpected(detail::failed(status, why));
        return status == HD_EVENT ? std::optional(made) : std::nullopt;
    }
    result<std::vector<hd_arm_info>> try_arms() {
        return list<hd_arm_info>(hd_arms_refresh, hd_arm_at);
    }
    result<std::vector<hd_body_info>> try_bodies() {
        return list<hd_body_info>(hd_bodies_refresh, hd_body_at);
    }
    result<hd_limits> try_limits(std::uint32_t arm) {
        auto made = make<hd_limits>();
        auto why = make<hd_error>();
        std::int32_t status = hd_get_limits(get(), arm, &made, &why);
        if (status < 0)
            return unexpected(detail::failed(status, why));
        return made;
    }
    result<subscription> try_subscribe(std::uint32_t arm, std::uint32_t topics) {
        hd_subscription *made = nullptr;
        auto why = make<hd_error>();
        std::int32_t status = hd_subscribe(get(), arm, topics, &made, &why);
        if (status < 0)
            return unexpected(detail::failed(status, why));
        return subscription(made);
    }
    /* `spec` without name and mesh, which are given beside it. */
    result<std::uint32_t> try_add_body(std::string_view name, const mesh &of, hd_body_spec spec) {
        spec.struct_size = sizeof spec;
        spec.name = name.data();
        spec.name_length = name.size();
        spec.positions_m = of.positions_m.empty() ? nullptr : of.positions_m[0].data();
        spec.vertex_count = of.positions_m.size();
        spec.triangles = of.triangles.empty() ? nullptr : of.triangles[0].data();
        spec.triangle_count = of.triangles.size();
        std::uint32_t body = 0;
        auto why = make<hd_error>();
        std::int32_t status = hd_add_body(get(), &spec, &body, &why);
        if (status < 0)
            return unexpected(detail::failed(status, why));
        return body;
    }
    result<shape> try_shape(std::uint32_t body) {
        hd_shape *opened = nullptr;
        auto why = make<hd_error>();
        std::int32_t status = hd_open_shape(get(), body, &opened, &why);
        if (status < 0)
            return unexpected(detail::failed(status, why));
        detail::handle<hd_shape, hd_shape_free> held(opened);
        hd_counts counts{};
        hd_shape_counts(opened, &counts);
        shape made{std::vector<point>(counts.points), std::vector<triangle>(counts.triangles)};
        if (counts.points > 0)
            hd_shape_points(opened, made.points_m[0].data(), made.points_m.size());
        if (counts.triangles > 0)
            hd_shape_triangles(opened, made.triangles[0].data(), made.triangles.size());
        return made;
    }
    result<surface> try_surface(std::uint32_t body) {
        hd_surface *made = nullptr;
        auto why = make<hd_error>();
        std::int32_t status = hd_open_surface(get(), body, &made, &why);
        if (status < 0)
            return unexpected(detail::failed(status, why));
        return surface(made);
    }
    result<skin> try_skin(std::uint32_t body) {
        hd_skin *made = nullptr;
        auto why = make<hd_error>();
        std::int32_t status = hd_open_skin(get(), body, &made, &why);
        if (status < 0)
            return unexpected(detail::failed(status, why));
        return skin(made);
    }
    result<void> try_set_body_pose(hd_pose_command command) {
        command.struct_size = sizeof command;
        return call(hd_set_body_pose, &command);
    }
    /* Does not wait; HD_WOULD_WAIT is a failure. */
    result<void> try_post_body_pose(hd_pose_command command) {
        command.struct_size = sizeof command;
        return call(hd_post_body_pose, &command);
    }
    /* Several bodies with one message, at most HD_MAX_TARGETS: all of them, or none. */
    result<void> try_set_body_poses(const std::vector<hd_body_target> &targets) {
        return call(hd_set_body_poses, targets.data(), targets.size());
    }
    result<void> try_post_body_poses(const std::vector<hd_body_target> &targets) {
        return call(hd_post_body_poses, targets.data(), targets.size());
    }
    /* A body with the mesh of `of`, which a client added. */
    result<std::uint32_t> try_add_instance(std::string_view name, std::uint32_t of,
                                           hd_body_spec spec) {
        spec.struct_size = sizeof spec;
        spec.name = name.data();
        spec.name_length = name.size();
        std::uint32_t body = 0;
        auto why = make<hd_error>();
        std::int32_t status = hd_add_instance(get(), &spec, of, &body, &why);
        if (status < 0)
            return unexpected(detail::failed(status, why));
        return body;
    }
    result<void> try_set_material(std::uint32_t body, hd_material material) {
        material.struct_size = sizeof material;
        return call(hd_set_material, body, &material);
    }
    // Begins an effect, or changes running effect `effect`; gives its identity.
    result<std::uint32_t> try_set_effect(hd_effect numbers, std::uint32_t effect = 0) {
        numbers.struct_size = sizeof numbers;
        auto why = make<hd_error>();
        std::int32_t status = hd_set_effect(get(), &numbers, &effect, &why);
        if (status < 0)
            return unexpected(detail::failed(status, why));
        return effect;
    }
    result<void> try_stop_effect(std::uint32_t effect) { return call(hd_stop_effect, effect); }
    // The body that is named, or with 0 the one that presses the tool most.
    result<void> try_grasp_body(std::uint32_t arm, std::uint32_t body = 0) {
        return call(hd_grasp_body, arm, body);
    }
    result<void> try_release_body(std::uint32_t arm) { return call(hd_release_body, arm); }
    result<void> try_set_workspace(hd_workspace numbers) {
        numbers.struct_size = sizeof numbers;
        return call(hd_set_workspace, &numbers);
    }
    // Disengages only what this client has engaged.
    result<void> try_set_clutch(std::uint32_t arm, bool engaged) {
        return call(hd_set_clutch, arm, engaged ? 1u : 0u);
    }
    result<void> try_teleport_body(std::uint32_t body, const hd_pose &world_from_body) {
        return call(hd_teleport_body, body, &world_from_body);
    }
    result<void> try_push_body(hd_push push) {
        push.struct_size = sizeof push;
        return call(hd_push_body, &push);
    }
    result<void> try_halt_body(std::uint32_t body) { return call(hd_halt_body, body); }
    result<void> try_remove_body(std::uint32_t body) { return call(hd_remove_body, body); }
    result<void> try_set_focus(bool focused) { return call(hd_set_focus, focused ? 1u : 0u); }
    result<void> try_renew_leases(std::uint32_t lease_ms) {
        return call(hd_renew_leases, lease_ms);
    }
    /* Start from try_limits or hd_limits_leave. */
    result<void> try_tighten_limits(std::uint32_t arm, hd_limits limits) {
        limits.struct_size = sizeof limits;
        return call(hd_tighten_limits, arm, &limits);
    }
    /* Any request of the protocol, as bytes. */
    result<hd_answer> try_exchange(std::uint32_t kind, const std::vector<std::uint8_t> &body,
                                   const std::vector<std::uint8_t> &file = {}) {
        auto request = make<hd_request>();
        request.kind = kind;
        request.body = body.data();
        request.body_length = body.size();
        request.file = file.data();
        request.file_length = file.size();
        auto made = make<hd_answer>();
        auto why = make<hd_error>();
        std::int32_t status = hd_exchange(get(), &request, &made, &why);
        if (status < 0)
            return unexpected(detail::failed(status, why));
        return made;
    }
    /* The technician's socket only. */
    result<void> try_release_limits(std::uint32_t arm) { return call(hd_release_limits, arm); }
    result<void> try_clear_fault(std::uint32_t arm) { return call(hd_clear_fault, arm); }
    result<void> try_reload() { return call(hd_reload); }
    result<void> try_shutdown() { return call(hd_shutdown); }
    result<std::string> try_status_json() {
        std::string text;
        std::size_t length = 0;
        std::int32_t status = HD_CAPACITY;
        auto why = make<hd_error>();
        /* It may have grown between two questions. */
        for (std::size_t room = 1 << 16; status == HD_CAPACITY; room = length + 4096) {
            text.resize(room);
            status = hd_status_json(get(), text.data(), text.size(), &length, &why);
        }
        if (status < 0)
            return unexpected(detail::failed(status, why));
        text.resize(length);
        return text;
    }

#if defined(HAPTICD_EXCEPTIONS)
    /* The same, throwing hapticd::error. */
    explicit client(std::string_view name, std::string_view socket = {},
                    std::int32_t patience_ms = 0)
        : client(detail::unwrap(try_connect(name, socket, patience_ms))) {}
    hd_welcome welcome() const { return detail::unwrap(try_welcome()); }
    std::optional<hd_event> poll(std::int32_t timeout_ms = 0) {
        return detail::unwrap(try_poll(timeout_ms));
    }
    std::vector<hd_arm_info> arms() { return detail::unwrap(try_arms()); }
    std::vector<hd_body_info> bodies() { return detail::unwrap(try_bodies()); }
    hd_limits limits(std::uint32_t arm) { return detail::unwrap(try_limits(arm)); }
    hapticd::subscription subscribe(std::uint32_t arm, std::uint32_t topics) {
        return detail::unwrap(try_subscribe(arm, topics));
    }
    std::uint32_t add_body(std::string_view name, const hapticd::mesh &of,
                           const hd_body_spec &spec) {
        return detail::unwrap(try_add_body(name, of, spec));
    }
    hapticd::shape shape_of(std::uint32_t body) { return detail::unwrap(try_shape(body)); }
    hapticd::surface open_surface(std::uint32_t body) { return detail::unwrap(try_surface(body)); }
    hapticd::skin open_skin(std::uint32_t body) { return detail::unwrap(try_skin(body)); }
    void set_body_pose(const hd_pose_command &command) {
        detail::unwrap(try_set_body_pose(command));
    }
    /* False: the daemon takes nothing now; nothing was sent. */
    bool post_body_pose(const hd_pose_command &command) {
        auto made = try_post_body_pose(command);
        if (!made && made.error().status() == HD_WOULD_WAIT)
            return false;
        detail::unwrap(std::move(made));
        return true;
    }
    void set_body_poses(const std::vector<hd_body_target> &targets) {
        detail::unwrap(try_set_body_poses(targets));
    }
    std::uint32_t add_instance(std::string_view name, std::uint32_t of, const hd_body_spec &spec) {
        return detail::unwrap(try_add_instance(name, of, spec));
    }
    void set_material(std::uint32_t body, const hd_material &material) {
        detail::unwrap(try_set_material(body, material));
    }
    std::uint32_t set_effect(const hd_effect &numbers, std::uint32_t effect = 0) {
        return detail::unwrap(try_set_effect(numbers, effect));
    }
    void stop_effect(std::uint32_t effect) { detail::unwrap(try_stop_effect(effect)); }
    void grasp_body(std::uint32_t arm, std::uint32_t body = 0) {
        detail::unwrap(try_grasp_body(arm, body));
    }
    void release_body(std::uint32_t arm) { detail::unwrap(try_release_body(arm)); }
    void set_workspace(const hd_workspace &numbers) { detail::unwrap(try_set_workspace(numbers)); }
    void set_clutch(std::uint32_t arm, bool engaged) {
        detail::unwrap(try_set_clutch(arm, engaged));
    }
    void teleport_body(std::uint32_t body, const hd_pose &world_from_body) {
        detail::unwrap(try_teleport_body(body, world_from_body));
    }
    void push_body(const hd_push &push) { detail::unwrap(try_push_body(push)); }
    void halt_body(std::uint32_t body) { detail::unwrap(try_halt_body(body)); }
    void remove_body(std::uint32_t body) { detail::unwrap(try_remove_body(body)); }
    void set_focus(bool focused) { detail::unwrap(try_set_focus(focused)); }
    void renew_leases(std::uint32_t lease_ms) { detail::unwrap(try_renew_leases(lease_ms)); }
    void tighten_limits(std::uint32_t arm, const hd_limits &limits) {
        detail::unwrap(try_tighten_limits(arm, limits));
    }
    hd_answer exchange(std::uint32_t kind, const std::vector<std::uint8_t> &body,
                       const std::vector<std::uint8_t> &file = {}) {
        return detail::unwrap(try_exchange(kind, body, file));
    }
    void release_limits(std::uint32_t arm) { detail::unwrap(try_release_limits(arm)); }
    void clear_fault(std::uint32_t arm) { detail::unwrap(try_clear_fault(arm)); }
    void reload() { detail::unwrap(try_reload()); }
    void shutdown() { detail::unwrap(try_shutdown()); }
    std::string status_json() { return detail::unwrap(try_status_json()); }
#endif

    hd_client *get() const noexcept { return handle_.get(); }
    explicit operator bool() const noexcept { return handle_ != nullptr; }

  private:
    template <typename Function, typename... Arguments>
    result<void> call(Function *function, Arguments... arguments) {
        auto why = make<hd_error>();
        return detail::done(function(get(), arguments..., &why), why);
    }
    template <typename Info>
    result<std::vector<Info>>
    list(std::int32_t (*refresh)(hd_client *, std::uint32_t *, hd_error *),
         std::int32_t (*at)(const hd_client *, std::uint32_t, Info *)) {
        std::uint32_t count = 0;
        auto why = make<hd_error>();
        std::int32_t status = refresh(get(), &count, &why);
        if (status < 0)
            return unexpected(detail::failed(status, why));
        std::vector<Info> all(count, make<Info>());
        for (std::uint32_t k = 0; k < count; k++)
            at(get(), k, &all[k]);
        return all;
    }
    detail::handle<hd_client, hd_client_free> handle_;
};

} // namespace hapticd
#endif
