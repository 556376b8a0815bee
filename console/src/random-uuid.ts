// Over plain HTTP to another host than one's own, browsers leave crypto.randomUUID out, and the SDK makes its
// Idempotency-Keys by it. A shop in a home network is reached just so.

function randomUuid(): ReturnType<Crypto['randomUUID']> {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  // Version 4, variant 1, as RFC 9562 has it.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') as ReturnType<Crypto['randomUUID']>
}

export function provideRandomUuid(): void {
  crypto.randomUUID ??= randomUuid
}
