// A certificate of its own making for hooks.example.com, with its key: good for nothing but tests.

export const name = 'hooks.example.com'

export const key = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIJ1rNEHWuwnVstBPICHWoIDzheAYoNxIUp03QP3MUKwIoAoGCCqGSM49
AwEHoUQDQgAEUTwzYyjrnmVNgfoVfREK+wnbDLLe3XqRjjLzR2k+iyTtnadhZG/X
8Sk0Wrw2x1zRVbJzIlv5S/HNFop3cwEG8A==
-----END EC PRIVATE KEY-----
`

export const cert = `-----BEGIN CERTIFICATE-----
MIIBrTCCAVOgAwIBAgIUHxtdd6au1DK/0jRu4zdTT1wrPwwwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRaG9va3MuZXhhbXBsZS5jb20wIBcNMjYxMTE1MTczMjIyWhgP
MjEyNjEwMjIxNzMyMjJaMBwxGjAYBgNVBAMMEWhvb2tzLmV4YW1wbGUuY29tMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEUTwzYyjrnmVNgfoVfREK+wnbDLLe3XqR
jjLzR2k+iyTtnadhZG/X8Sk0Wrw2x1zRVbJzIlv5S/HNFop3cwEG8KNxMG8wHQYD
VR0OBBYEFCFWadQS7mYR7pZwAh1QoiWEP+UaMB8GA1UdIwQYMBaAFCFWadQS7mYR
7pZwAh1QoiWEP+UaMA8GA1UdEwEB/wQFMAMBAf8wHAYDVR0RBBUwE4IRaG9va3Mu
ZXhhbXBsZS5jb20wCgYIKoZIzj0EAwIDSAAwRQIhAP811ZYFyUrDUgyzfaBzSL0T
056hiwUv2TFKUlmqZEagAiAJWz1hnhP516PVdPyCrPZM7MRSkhtsvCDS5Aiia8JI
7Q==
-----END CERTIFICATE-----
`
