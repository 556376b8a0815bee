import type { Description } from './name-requests.ts'
import type { ApiProfile } from './profile-file.ts'

interface Sources {
  readonly profile?: string
  readonly openapi?: string
}

interface Knowledge {
  readonly profile: ApiProfile
  readonly description: Description
}

/** The profile of an API, and the description that the user or the profile names. Loaded when needed: most commands need no YAML. */
export async function readKnowledge({ profile: name, openapi }: Sources, upstream?: URL): Promise<Knowledge> {
  const { emptyProfile, readProfile } = await import('./profile-file.ts')
  const profile = name === undefined ? emptyProfile() : readProfile(name)
  const source = openapi ?? locate(profile.description, upstream)
  const description = source === undefined ? {} : await (await import('./read-description.ts')).readDescription(source)
  return { profile, description }
}

/** A description with a slash at its beginning is served by the upstream. */
function locate(description: string | undefined, upstream: URL | undefined): string | undefined {
  if (!description?.startsWith('/')) return description
  return upstream && upstream.href.replace(/\/$/, '') + description
}
