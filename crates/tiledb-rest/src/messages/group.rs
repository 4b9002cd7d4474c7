//! Messages about groups.

use crate::encoding::{List, TextField, messages};

use super::metadata::ArrayMetadata;
use super::values::Config;

messages! {
    GroupMember: 1 word, 3 pointers {
        URI "uri" at pointer 0: TextField,
        TYPE "type" at pointer 1: TextField,
        RELATIVE "relative" at 0: bool,
        NAME "name" at pointer 2: TextField,
    }

    /// Members and metadata of a group.
    GroupDetails "Group.GroupDetails": 0 words, 3 pointers {
        MEMBERS "members" at pointer 0: List<GroupMember>,
        METADATA "metadata" at pointer 1: ArrayMetadata,
        LOGICAL_URI "logicalURI" at pointer 2: TextField,
    }

    Group: 0 words, 2 pointers {
        CONFIG "config" at pointer 0: Config,
        GROUP "group" at pointer 1: GroupDetails,
    }

    /// The metadata of a group, to be written.
    GroupMetadata: 0 words, 2 pointers {
        CONFIG "config" at pointer 0: Config,
        METADATA "metadata" at pointer 1: ArrayMetadata,
    }

    /// Which members come and go.
    GroupUpdateDetails "GroupUpdate.GroupUpdateDetails": 0 words, 2 pointers {
        MEMBERS_TO_REMOVE "members_to_remove" at pointer 0: List<TextField>,
        MEMBERS_TO_ADD "members_to_add" at pointer 1: List<GroupMember>,
    }

    /// Request to change a group.
    GroupUpdate: 0 words, 2 pointers {
        CONFIG "config" at pointer 0: Config,
        GROUP_UPDATE "group_changes" at pointer 1: GroupUpdateDetails,
    }

    /// Where a group is to be made.
    GroupCreateDetails "GroupCreate.GroupCreateDetails": 0 words, 1 pointer {
        URI "uri" at pointer 0: TextField,
    }

    /// Request to create a group.
    GroupCreate: 0 words, 2 pointers {
        CONFIG "config" at pointer 0: Config,
        GROUP_DETAILS "group_details" at pointer 1: GroupCreateDetails,
    }
}
