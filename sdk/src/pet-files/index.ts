// The public interface of @petstore/sdk/pet-files: reads and writes files of pets, and imports them in batches.
export { csv } from './csv.ts'
export { type ExportOptions, type ExportPage, exportPages } from './export-pages.ts'
export {
  type ColumnFields,
  type Columns,
  type FileFormat,
  type FileLine,
  PetFileError,
  type Preview,
  type Rejection,
} from './file-format.ts'
export {
  batchSizeFor,
  batchSizeOf,
  type ImportCounts,
  ImportedBeforeError,
  type ImportOptions,
  type ImportResult,
  type ImportStart,
  importRecords,
} from './import-records.ts'
export { ndjson } from './ndjson.ts'
export {
  type CategoryRecord,
  descriptionLengthMax,
  nameLengthMax,
  type PetRecord,
  readRecord,
  statuses,
  stockMax,
} from './record.ts'
export { suggestFields } from './suggest-fields.ts'
