/** Which requests a limit counts, as a refusal says it: "all 60 requests … in this minute are used". */
export const counted = {
  key: 'with this key',
  address: 'from this IP address without a valid key',
  ownMeter: 'to GET /limits with this key',
  messages: 'for lists, guides and other protocol messages with this key',
  bodies: 'to /mcp with this key',
} as const
