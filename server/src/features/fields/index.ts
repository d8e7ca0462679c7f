export { columnsOf, differences, unsetValues, without } from './columns.ts';
export { fieldFilters, filterSchemas } from './filters.ts';
export { isWebUrl } from './origins.ts';
export { createSchemas, outputSchemas, updateSchemas } from './schemas.ts';
