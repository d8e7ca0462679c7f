import { useState } from 'react';
import { Card } from '../../components/card.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { TextField } from '../../components/field.tsx';
import { FilterBar } from '../../components/filter-bar.tsx';
import { JsonEditor } from '../../components/json-editor.tsx';
import { RangePicker } from '../../components/range-picker.tsx';
import { Select } from '../../components/select.tsx';
import { Switch } from '../../components/switch.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { TextArea } from '../../components/text-area.tsx';
import type { Range } from '../../text/ranges.ts';

export function GalleryFields() {
  const [text, setText] = useState('Billing');
  const [json, setJson] = useState('{\n  "plan": "pro",\n  seats: 12\n}');
  const [on, setOn] = useState(true);
  const [range, setRange] = useState<Range>('7d');
  const [tab, setTab] = useState<'fields' | 'more'>('fields');
  return (
    <Card title="Fields">
      <Tabs
        label="Fields"
        value={tab}
        onChange={setTab}
        tabs={[
          { id: 'fields', label: 'Fields', panel: null },
          { id: 'more', label: 'More', panel: 'Nothing more.' },
        ]}
      />
      <div className="flex flex-col gap-5">
        <FilterBar
          search={{ label: 'Search keys', value: text, onChange: setText }}
          onClear={() => setText('')}
          count="12 keys"
        >
          <Select
            label="State"
            labelHidden
            dense
            value="all"
            options={[
              { value: 'all', label: 'Any state' },
              { value: 'active', label: 'Active' },
            ]}
            onChange={() => {}}
          />
        </FilterBar>
        <RangePicker value={range} onChange={setRange} />
        <div className="grid gap-5 sm:grid-cols-2">
          <TextField label="Name" value={text} onChange={setText} hint="For people to read." />
          <TextField
            label="Customer"
            value=""
            onChange={setText}
            error="Give at most 256 characters."
            optional
          />
          <Select
            label="Role"
            value="admin"
            options={[{ value: 'admin', label: 'Admin' }]}
            onChange={() => {}}
          />
          <TextArea label="Notes" value={text} onChange={setText} rows={2} />
          <Switch label="Live" hint="Acts at once." checked={on} onChange={setOn} />
          <Checkbox label="keys:read" hint="See keys." checked={on} onChange={setOn} />
        </div>
        <JsonEditor label="Metadata" value={json} onChange={setJson} optional />
      </div>
    </Card>
  );
}
