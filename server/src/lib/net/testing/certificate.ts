/**
 * A certificate for tests, for the name `media.test` alone, valid for a hundred years. Nothing trusts it but
 * a test that says so; its key is no secret.
 */
export const mediaTestCertificate = `-----BEGIN CERTIFICATE-----
MIIBlzCCAT6gAwIBAgIUAmOsHeMp/QJ6n0Atruma1Lp9QtIwCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKbWVkaWEudGVzdDAgFw0yNjExMjExMTE2MDNaGA8yMTI2MTAy
ODExMTYwM1owFTETMBEGA1UEAwwKbWVkaWEudGVzdDBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABHND0wFhU9KapxkXZ73/B60g5yw2RUFUvVmnUtDByQW9NQAqbPr7
r4VNxbyo8kSDkoWR8FE5JsvLmEQ3syQDAgSjajBoMB0GA1UdDgQWBBTTVtjA3pza
fjGb1NLVJLJ3Etor5zAfBgNVHSMEGDAWgBTTVtjA3pzafjGb1NLVJLJ3Etor5zAV
BgNVHREEDjAMggptZWRpYS50ZXN0MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0E
AwIDRwAwRAIgfxZTedUgWWWq/rF6idqYu9Xfp0TMcWSoyNXcmobcfjUCICYbjqet
zVv4Ph5Tac5wNdxG834KTRygdwLFdbDWVgZa
-----END CERTIFICATE-----
`;

export const mediaTestKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg2JEMGhLQL67Aaxlx
RtiLEcfDycB7SR6/ngncpN1DnqKhRANCAARzQ9MBYVPSmqcZF2e9/wetIOcsNkVB
VL1Zp1LQwckFvTUAKmz6+6+FTcW8qPJEg5KFkfBROSbLy5hEN7MkAwIE
-----END PRIVATE KEY-----
`;
