/**
 * A certificate for test servers on 127.0.0.1, valid for a hundred years. Only tests trust it; its key is no
 * secret.
 */
export const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBpTCCAUqgAwIBAgIUPkGYFNgPT/kPQ/LaymbzM8PDxpkwCgYIKoZIzj0EAwIw
HjEcMBoGA1UEAwwTcGxhemEgdGVzdCBkYXRhYmFzZTAgFw0yNjExMjIxODI1MzRa
GA8yMTI2MTAyOTE4MjUzNFowHjEcMBoGA1UEAwwTcGxhemEgdGVzdCBkYXRhYmFz
ZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABH5DbGZ++m4L58eeV3NLnkeSnO0v
gu7oqZMZ0EV66VR3xcb9I8Bz9ayod5FzHCpdEHnygsBsmDwiRmpjnTmo782jZDBi
MB0GA1UdDgQWBBT/2r9qRXJVgy7n6j4g9WwDlq1BdzAfBgNVHSMEGDAWgBT/2r9q
RXJVgy7n6j4g9WwDlq1BdzAPBgNVHREECDAGhwR/AAABMA8GA1UdEwEB/wQFMAMB
Af8wCgYIKoZIzj0EAwIDSQAwRgIhAMdoPqcpqw/kx4Yd5AH6CL+3rcENnawxvebZ
tUeUEIMmAiEAil4yXAfQxnq4br53nklBTEB07jP5GFtpbShOizgfyzQ=
-----END CERTIFICATE-----
`;

export const testCertificateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGQIQ4bIQQzmyoUQS
Oj72CGxmqfxqhZa0tRGmNVWb/jOhRANCAAR+Q2xmfvpuC+fHnldzS55HkpztL4Lu
6KmTGdBFeulUd8XG/SPAc/WsqHeRcxwqXRB58oLAbJg8IkZqY505qO/N
-----END PRIVATE KEY-----
`;
