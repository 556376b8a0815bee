import type { SdkCall } from '../client/samples.client.js'
import { type Html, html } from '../html.ts'
import type { DescribedOperation } from './document.ts'

/** The SDK call of an operation, if it has one. The tests run every sample, so a call that does not exist fails. */
export function sdkCallOf(operation: DescribedOperation): SdkCall | undefined {
  const { parameters, 'x-sdk-call': call } = operation
  if (call === undefined) return undefined
  const isList = parameters.some(({ name }) => name === 'limit')
  return { call, isList }
}

/** Tells the form of an operation which SDK call its sample shows. */
export function sdkAttribute(operation: DescribedOperation): Html | undefined {
  const call = sdkCallOf(operation)
  return call && html` data-sdk="${JSON.stringify(call)}"`
}
