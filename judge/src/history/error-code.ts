/** The code in the text of an error, in a field of JSON or an element of XML. Of `service#Code`, what follows the sign. */
export function errorCodeIn(text: string, field: string): string | undefined {
  const [, inJson, inXml] =
    new RegExp(`"${field}":\\s*"(?:[^"#]*#)?([\\w.-]+)"|<${field}>\\s*([\\w.-]+)\\s*</`).exec(text) ?? []
  return inJson ?? inXml
}
