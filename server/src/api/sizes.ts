// How large a request may be. The error catalogue says so in words.

export const bodyKibMax = 256
export const urlKibMax = 8
export const headersKibMax = 16
export const nestingMax = 32
