import Type, { type Static } from 'typebox';
import { IMPORT_ROWS_MAX } from '../../../kernel/import-limits.ts';
import { Id, importedRow, strict } from '../../../kernel/schemas.ts';
import { CreateCustomer } from '../schema.ts';

const importOptions = {
  projectId: Type.Optional(Id('prj', 'the project for rows without a `projectId`')),
  dryRun: Type.Optional(Type.Boolean({ description: 'Check all rows without importing them.' })),
};

/** Rows are checked one by one: an invalid row does not affect the others. */
export const ImportCustomers = strict({
  customers: Type.Array(Type.Unknown(), { maxItems: IMPORT_ROWS_MAX }),
  ...importOptions,
});
export type ImportCustomers = Static<typeof ImportCustomers>;

export const DescribedImportCustomers = strict(
  { customers: Type.Array(CreateCustomer, { maxItems: IMPORT_ROWS_MAX }), ...importOptions },
  'ImportCustomers',
);

const ImportedCustomer = importedRow('ImportedCustomer', 'cus', 'customer');
export type ImportedCustomer = Static<typeof ImportedCustomer>;

export const ImportCustomersResult = Type.Object(
  {
    results: Type.Array(ImportedCustomer, {
      description: 'One result per row, in the order of `customers`.',
    }),
  },
  { title: 'ImportCustomersResult' },
);
export type ImportCustomersResult = Static<typeof ImportCustomersResult>;
