/** One request of the account. */
import { useApiQuery } from "../../api/queries.ts";
import { RequestDetail } from "../../features/requests/detail.tsx";
import { ReplayActs } from "../../features/requests/replay-acts.tsx";
import { requestsMessages } from "../../i18n/en/pages/requests.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useParam } from "../../ui/navigation.tsx";
import { Loaded } from "../../ui/states.tsx";
import { PageHeader } from "../../ui/surfaces.tsx";

/** See above. */
export function RequestPage() {
  const t = useMessages(requestsMessages);
  const id = useParam("id");
  const request = useApiQuery("get /requests/{id}", { params: { id } });
  return (
    <>
      <PageHeader
        title={t("requestTitle", { id })}
        shown={<span className="font-mono text-figure break-all">{id}</span>}
        back={{ to: "/requests", label: t("backToList") }}
        actions={request.data !== undefined && <ReplayActs request={request.data} isOwnKey />}
      />
      <Loaded query={request}>
        {(found) => <RequestDetail request={found} keyTo={`/keys/${encodeURIComponent(found.keyId)}`} />}
      </Loaded>
    </>
  );
}
