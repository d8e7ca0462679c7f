import { PageHeader } from '../../components/page-header.tsx';

export function AuditLogPage() {
  return <PageHeader title="Audit log" />;
}
