import { PageHeader } from '../../components/page-header.tsx';

export function WebhooksPage() {
  return <PageHeader title="Webhooks" />;
}
