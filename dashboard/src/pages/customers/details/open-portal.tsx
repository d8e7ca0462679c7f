import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { createPortalLink } from '../../../api/customers.ts';
import { useProject } from '../../../app/current.ts';
import { useMay } from '../../../app/session/permissions.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { toast, toastFailure } from '../../../components/feedback/toasts.tsx';

/** Opens the portal in a new tab, as the customer sees it. The audit log names the user who did. */
export function OpenPortal({ customerId }: { readonly customerId: string }) {
  const { id: projectId, isActive } = useProject();
  const mayOpen = useMay('portal:write');
  const [isOpening, setOpening] = useState(false);
  if (!mayOpen || !isActive) return null;
  const open = async () => {
    // Before the request: browsers block tabs that are not opened by the click itself.
    const tab = window.open('', '_blank');
    if (tab === null)
      return toast({
        text: 'The browser blocked the new tab. Allow pop-ups for this page and try again.',
        tone: 'bad',
      });
    tab.opener = null;
    setOpening(true);
    try {
      tab.location.replace(await createPortalLink({ projectId, customAccountId: customerId }));
    } catch (error) {
      tab.close();
      toastFailure(error);
    } finally {
      setOpening(false);
    }
  };
  return (
    <Button icon={<ExternalLink />} busy={isOpening} onClick={open}>
      Open as this customer
    </Button>
  );
}
