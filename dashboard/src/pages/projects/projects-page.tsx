import { PageHeader } from '../../components/page-header.tsx';

export function ProjectsPage() {
  return <PageHeader title="Projects" />;
}
