import { PageHeader } from '../../components/page-header.tsx';

export function TeamPage() {
  return <PageHeader title="Team" />;
}
