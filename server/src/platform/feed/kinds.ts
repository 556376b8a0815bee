import { defineErrors } from '../api/errors.ts'

export const feedErrors = defineErrors({
  too_many_streams: {
    status: 409,
    title: 'The key has the maximum number of open streams.',
    advice: 'Close a stream, or follow several event types with one.',
  },
  events_pruned: {
    status: 410,
    title: 'The events right after this one have been deleted.',
    advice:
      'You missed events. Read the resources again, then continue with `after=latest` or, without `after`, from the oldest event still retained.',
  },
})
