import { PageHeader } from '../../components/page-header.tsx';

export function WebhookPage() {
  return <PageHeader title="Webhook" />;
}
