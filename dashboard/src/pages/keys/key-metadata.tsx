import type { ApiKey } from '../../api/records.ts';
import { Card } from '../../components/card.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { formatJson } from '../../text/check-json.ts';

export function KeyMetadata({ apiKey }: { readonly apiKey: ApiKey }) {
  const isEmpty = Object.keys(apiKey.customMetaData).length === 0;
  return (
    <Card title="Metadata" description="Your server gets it with every validation.">
      {isEmpty ? (
        <p className="text-faint">None</p>
      ) : (
        <CodeBlock label="customMetaData" code={formatJson(apiKey.customMetaData)} />
      )}
    </Card>
  );
}
