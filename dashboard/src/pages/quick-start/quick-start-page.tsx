import { PageHeader } from '../../components/page-header.tsx';

export function QuickStartPage() {
  return <PageHeader title="Quick start" />;
}
