import { PageHeader } from '../../components/page-header.tsx';

export function AnalyticsPage() {
  return <PageHeader title="Analytics" />;
}
