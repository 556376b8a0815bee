/** The code in the text of an error, in a field of JSON or an element of XML. Of `service#Code`, what follows the sign. */
export function errorCodeIn(text: string, field: string): string | undefined {
  const name = field.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const [, inJson, inXml] =
    new RegExp(`"${name}":\\s*"(?:[^"#]*#)?([\\w.-]+)"|<${name}>\\s*([\\w.-]+)\\s*</`).exec(text) ?? []
  return inJson ?? inXml
}
