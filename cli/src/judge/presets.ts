import dynamodb from './profiles/dynamodb.yaml' with { type: 'text' }
import npm from './profiles/npm.yaml' with { type: 'text' }
import petstore from './profiles/petstore.yaml' with { type: 'text' }
import s3 from './profiles/s3.yaml' with { type: 'text' }

/** Profiles of APIs whose real clients were examined, by name. */
export const presets: Readonly<Record<string, string>> = { dynamodb, npm, petstore, s3 }
