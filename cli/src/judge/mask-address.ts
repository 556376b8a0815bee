import { createHash } from 'node:crypto'

const secretName = /key|token|secret|signature|password|credential|auth|session/i
const parameter = /([?&]([^=&#\s]+)=)([^&#\s>"]+)/g
const lengthShown = 8

/** Replaces the values of parameters whose names are those of secrets. The same value stays the same. */
export const maskAddress = (text: string): string =>
  text.replace(parameter, (all, start, name, value) => (secretName.test(name) ? `${start}${mask(value)}` : all))

const mask = (value: string): string => `…${createHash('sha256').update(value).digest('hex').slice(0, lengthShown)}`
