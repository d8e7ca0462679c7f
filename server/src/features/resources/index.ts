export { ProjectRecords, type RecordArea, type RecordParts } from './records.ts';
export { resourceRoutes } from './routes.ts';
export { resourceSchemas } from './schemas.ts';
