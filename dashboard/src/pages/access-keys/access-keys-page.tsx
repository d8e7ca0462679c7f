import { PageHeader } from '../../components/page-header.tsx';

export function AccessKeysPage() {
  return <PageHeader title="Access keys" />;
}
