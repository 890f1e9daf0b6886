/** How every connection to the outside is opened. */

/** Answers may be silent for minutes; routers between forget connections on which nothing moves. */
export const tcpOptions = {
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
} as const;
