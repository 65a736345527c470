/*
 * The socket on which the two processes of a probe report to their host: its greeting brings the keys, and messages go back (probe.h).
 *
 * It is no mailbox of channel.h. A mailbox has two sides that take turns; a probe has two senders, each of which sends at any time, also in
 * the handler of a signal. The host waits with poll(2) for many probes at once, for their ends and their output too, which a futex does not
 * allow. And a plugin that writes to descriptors that are not its own is found, since its bytes arrive on the socket without a key.
 */
#ifndef TROUPE_REPORT_SOCKET_H
#define TROUPE_REPORT_SOCKET_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads the greeting. If it asks for a fork server, becomes one, and returns in each child with the greeting of its probe. Returns true if the
 * greeting is valid.
 */
int troupe_report_socket_open(int channel);

/* The most descriptors that a message has. */
enum { troupe_most_descriptors = 2 };

/* Sends all bytes, with descriptors if there are any (SCM_RIGHTS of unix(7)). Returns whether that succeeded. */
int troupe_send_descriptors(int socket, const void *bytes, size_t count, const int descriptors[], size_t descriptor_count);

/*
 * Receives all bytes, and the descriptors. If another number of descriptors comes, or the socket ends early, closes those that came, and sets
 * all to -1. Returns 1, 0 at the end of the socket, or -1 with errno.
 */
int troupe_receive_descriptors(int socket, void *bytes, size_t count, int descriptors[], size_t descriptor_count);

/* Leaves each process its own key, once it is two: the one in which the plugin runs, or the other. */
void troupe_report_socket_divide(int is_watched);

/* Sends a message with the key of the process that watches. Returns whether that succeeded. */
int troupe_report_socket_send(int channel, uint8_t kind, const void *content, size_t count);

/* Returns true if the plugin's process has lost the channel and has ended for that reason. */
int troupe_report_socket_is_lost(void);

#endif
