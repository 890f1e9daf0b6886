/** Bytes in which the two transports once differed, as small as the fuzzer made them, and their cuts. */
export const finds: readonly {
  readonly what: string;
  readonly text: string;
  readonly cuts: readonly number[];
}[] = [
  {
    what: "the chunks of a request that is handed over were moved together before",
    text: "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nGET \r\nb\r\n/v1/echo HT\r\n0\r\n\r\n",
    cuts: [],
  },
  {
    what: "the same when the body goes on in the next read",
    text: "POST /\nTransfer-Encoding:chunked\r\nn:\r\n\r\n4\r\nGET \r\n5\r\nGET /\r\n8\r\nGET /v1/\r",
    cuts: [71],
  },
  {
    what: "empty lines behind a request were taken for the beginning of a head",
    text: "GET /v1beta/ HTTP/1.1\r\nHOST:a\r\n\r\n\r\n\r",
    cuts: [33],
  },
  {
    what: "other empty lines",
    text: "GET /v1/ HTTP/1.1\r\nX:\r\nHost:t\r\n\r\n\n\r\n",
    cuts: [33],
  },
];
